import { MAX_SECRET_PATHS, REDACTED, findSecretPaths, isSecretKey } from '../../redaction/secret-keys.js';
import { isSecretValue } from '../../redaction/secret-forms.js';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U';

describe('keys', () => {
  it.each([
    'password',
    'Password',
    'dbPassword',
    'DB_PASSWORD',
    'admin-password',
    'pass word',
    'pa\u200bssword',
    'ｐａｓｓｗｏｒｄ',
    'pаssword',
    'password2',
    'administrator_login_password_wo',
    'aws_secret_access_key',
    'SecretAccessKey',
    'client_secret',
    'clientSecret',
    'X-Api-Key',
    'apikey',
    'api_key_value',
    'access_token',
    'refreshToken',
    'id_token',
    'bearer',
    'private_key',
    'private_key_pem',
    'ssh_private_key',
    'tls.key',
    'credential_ref',
    'credential_type',
    'credentials',
    'connection_string',
    'primary_connection_string',
    'AccountKey',
    'shared_access_key',
    'kubeconfig',
    'kube_config_raw',
    'password_hash',
    'totp_secret',
    'GITHUB_TOKEN',
    'token',
  ])('%s is secret', (key) => {
    expect(isSecretKey(key)).toBe(true);
  });

  it.each([
    'password_policy',
    'kms_key_id',
    'secret_arn',
    'secrets_manager_rotation_enabled',
    'password_last_used',
    'PasswordLastUsed',
    'password_reuse_prevention',
    'minimum_password_length',
    'max_password_age',
    'access_keys_per_user',
    'access_key_1_active',
    'access_key_last_rotated',
    'access_key_id',
    'credential_report_generated',
    'next_token',
    'nextToken',
    'NextToken',
    'NEXT_TOKEN',
    'changePassword',
    'aws_iam_access_key',
    'has_api_key',
    'client_request_token',
    'http_tokens',
    'token_expiry',
    'secret_name',
    'secretName',
    'secret_id',
    'secretKeyRef',
    'key_vault_key_id',
    'key_name',
    'key_id',
    'key',
    'public_key',
    'ssh_public_key',
    'primary_key',
    'private_dns_enabled',
    'shared_access_key_enabled',
    'storage_account_access_key_is_secondary',
    'disable_password_authentication',
    'automountServiceAccountToken',
    'certificate',
    'author',
    'passed',
    'compass',
  ])('%s is innocent', (key) => {
    expect(isSecretKey(key)).toBe(false);
  });
});

describe('values', () => {
  it.each([
    '-----BEGIN RSA PRIVATE KEY-----\nMIIEow',
    '-----BEGIN OPENSSH PRIVATE KEY-----',
    'AKIAIOSFODNN7EXAMPLE',
    'the key ASIAIOSFODNN7EXAMPLE was used',
    'AK\u200bIAIOSFODNN7EXAMPLE',
    JWT,
    `ghp_${'a1B2'.repeat(9)}`,
    `xoxb-${'123456789012'}-abc`,
    `sk_live_${'abcd1234'.repeat(3)}`,
    `psk_${'0123456789ab'}_${'A1b-'.repeat(10)}xyz`,
    `AIza${'a'.repeat(35)}`,
    'postgres://app:hunter2@db.internal:5432/app',
    'Server=db;User Id=sa;Password=hunter2;',
    `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${'QUJD'.repeat(20)}==`,
    'Authorization: Bearer abcdef0123456789abcdef',
  ])('%s is a secret', (text) => {
    expect(isSecretValue(text)).toBe(true);
  });

  it.each([
    '-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIE',
    '-----BEGIN PUBLIC KEY-----',
    'arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-AbCdEf',
    'arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab',
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==',
    'AIDAIOSFODNN7EXAMPLE',
    'AROAIOSFODNN7EXAMPLE:session',
    'https://user@example.com/repo.git',
    'postgres://app:${var.password}@db/app',
    'Use bearer authentication for this endpoint',
    'eyJ is how a JWT starts',
    'task-learning-about-skeletons',
  ])('%s is none', (text) => {
    expect(isSecretValue(text)).toBe(false);
  });
});

describe('payloads', () => {
  it('names the path and never the value', () => {
    const paths = findSecretPaths({ evidence: { items: [{}, {}, { aws_secret_access_key: 'hunter2hunter2' }] } });
    expect(paths).toEqual(['evidence.items[2].aws_secret_access_key']);
  });

  it('finds secrets in arrays, in JSON inside strings, in pairs and behind zero-width letters', () => {
    const found = findSecretPaths({
      list: [[{ password: 'hunter2' }]],
      raw: JSON.stringify({ a: [{ token: 'hunter2' }] }),
      twice: JSON.stringify(JSON.stringify({ api_key: 'hunter2' })),
      escaped: '{"pass\\u0077ord":"hunter2"}',
      cut: '{"a": 1, "client_secret": "hunter2',
      within: 'body: {"password": "hunter2"} was sent',
      tags: [{ Key: 'DB_PASSWORD', Value: 'hunter2' }],
      environment: [{ name: 'db.password', value: 'hunter2' }],
      hidden: { 'pass\u200dword': 'hunter2' },
      number: { password: 12345 },
      object: { password: { plain: 'hunter2' } },
      several: { passwords: ['hunter2'] },
      pem: ['-----BEGIN PRIVATE KEY-----'],
      AKIAIOSFODNN7EXAMPLE: 1,
    });
    expect(found.sort()).toEqual([
      REDACTED,
      'cut',
      'environment[0].value',
      'escaped.password',
      'hidden.password',
      'list[0][0].password',
      'number.password',
      'object.password.plain',
      'pem[0]',
      'raw.a[0].token',
      'several.passwords[0]',
      'tags[0].Value',
      'twice.api_key',
      'within',
    ]);
    expect(found.join()).not.toContain('hunter2');
  });

  it('passes the innocent look-alikes', () => {
    expect(
      findSecretPaths({
        password_policy: { minimum_password_length: 14, require_symbols: true, password_reuse_prevention: 5 },
        kms_key_id: 'arn:aws:kms:us-east-1:123456789012:key/1',
        secret_arn: 'arn:aws:secretsmanager:us-east-1:123456789012:secret:x',
        secrets_manager_rotation_enabled: true,
        password_last_used: '2024-01-01T00:00:00Z',
        password_enabled: 'true',
        next_token: 'AAEAAaBteYGa8oU2QyrYeGJUO62kbtV8jAxUkBel',
        master_user_secret: [{ kms_key_id: 'k', secret_arn: 'a', secret_status: 'active' }],
        volumes: [{ name: 'v', secret: { secretName: 's', defaultMode: 420, items: [{ key: 'a', path: 'b' }] } }],
        env: [
          { name: 'DB_PASSWORD', valueFrom: { secretKeyRef: { name: 's', key: 'password' } } },
          { name: 'DB_PASSWORD', value: '${var.db_password}' },
          { name: 'LOG_LEVEL', value: 'debug' },
        ],
        securitySchemes: { apiKey: { type: 'apiKey', name: 'X-Key', in: 'header' } },
        properties: { password: { type: 'string', minLength: 8, description: 'The password' } },
        tags: [{ Key: 'password-owner', Value: 'team-a' }],
        sensitive_values: { password: true },
        password: null,
        token: '',
        secret: false,
        credentials: 'arn:aws:iam::123456789012:role/api',
        client_secret: REDACTED,
        primary_key: 'customer_id',
        text: '{"a": [1, 2, {"name": "x"}]}',
      }),
    ).toEqual([]);
  });

  it('names at most so many paths', () => {
    const many = findSecretPaths(Array.from({ length: 500 }, () => ({ password: 'hunter2' })));
    expect(many).toHaveLength(MAX_SECRET_PATHS);
    expect(many[0]).toBe('[0].password');
  });

  it('walks depth 5,000 and JSON strings in it without overflow', () => {
    let deep: unknown = { raw: '{"password":"hunter2"}' };
    for (let i = 0; i < 5_000; i++) deep = i % 2 === 0 ? [deep] : { a: deep };
    expect(findSecretPaths(deep)).toHaveLength(1);
    expect(findSecretPaths(`${'['.repeat(5_000)}{"password":"hunter2"}${']'.repeat(5_000)}`)).toHaveLength(1);
  });

  it('takes 200,000 small nodes within a second and hostile text in linear time', () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => ({
      finding_id: `f${i}`,
      title: 'Bucket is public',
      arn: `arn:aws:s3:::b${i}`,
      tags: { team: `t${i}` },
      n: [1, 2, i],
    }));
    const started = performance.now();
    expect(findSecretPaths(rows)).toEqual([]);
    for (const text of ['eyJ', '-----BEGIN ', 'a://', '\\"', 'Bearer ', '"a":', 'AKIA', 'x:y@', ';Password ='])
      findSecretPaths({ x: text.repeat(100_000) });
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
