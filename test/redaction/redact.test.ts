import { redactText, redactValue } from '../../redaction/redact.js';
import { REDACTED, findSecretPaths } from '../../redaction/secret-keys.js';

describe('free text', () => {
  it.each([
    ['password=hunter2 and more', `password=${REDACTED} and more`],
    ['password = "hunter2"', `password = "${REDACTED}"`],
    ['mysql -u root --password hunter2', `mysql -u root --password ${REDACTED}`],
    ['--api-key=abc123', `--api-key=${REDACTED}`],
    ['Authorization: Bearer abcdef0123456789abcdef', `Authorization: Bearer ${REDACTED}`],
    ['Set-Cookie: SID=abcdef123; Path=/; HttpOnly', `Set-Cookie: SID=${REDACTED}; Path=/; HttpOnly`],
    ['see postgres://app:hunter2@db/app', `see postgres://app:${REDACTED}@db/app`],
    ['a -----BEGIN EC PRIVATE KEY-----\nMHc\n-----END EC PRIVATE KEY----- b', `a ${REDACTED} b`],
    ['a -----BEGIN EC PRIVATE KEY-----\nMHc', `a ${REDACTED}`],
    ['key AKIAIOSFODNN7EXAMPLE used', `key ${REDACTED} used`],
    ['{"password": "hunter2", cut', `{"password": "${REDACTED}", cut`],
    ['password: hunter2!', `password: ${REDACTED}`],
    ["'aws_db_instance.main.password' is 'Summer2024'", `'aws_db_instance.main.password' is '${REDACTED}'`],
    ['admin_password is set to "correct horse battery"', `admin_password is set to "${REDACTED}"`],
    ['resource.aws_db_instance[main].password equals Summer2024', `resource.aws_db_instance[main].password equals ${REDACTED}`],
    [
      "'auth_token' should not be 'abc', found: auth_token is `tok3n`",
      `'auth_token' should not be '${REDACTED}', found: auth_token is \`${REDACTED}\``,
    ],
  ])('%s', (text, expected) => {
    expect(redactText(text)).toBe(expected);
  });

  it.each([
    'Password: must be at least 14 characters',
    'Ensure IAM password policy requires at least one symbol',
    'token = var.token',
    'password = data.aws_secretsmanager_secret_version.db.secret_string',
    'DB_PASSWORD: ${DB_PASSWORD}',
    'disable_password_authentication=true',
    '-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----',
    'arn:aws:secretsmanager:eu-west-1:123456789012:secret:db',
    '{{ .Values.password }}',
    "'aws_db_instance.main.password' is undefined or null",
    "'password' is 'null'",
    "'storage_encrypted' is 'false1'",
    'The password is stored in plain text, and the token is 30 days old',
    "'aws_db_instance.main.password' should be 'var.db_password'",
  ])('%s stays', (text) => {
    expect(redactText(text)).toBe(text);
  });
});

describe('values', () => {
  it('redacts under secret keys, in pairs, in JSON and base64 in strings, in arguments', () => {
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    expect(
      redactValue({
        password: 'hunter2',
        pin: { password: 1234 },
        env: [
          { name: 'DB_PASSWORD', value: 'hunter2' },
          { name: 'MODE', value: 'x' },
        ],
        policy: '{"a":{"token":"hunter2"},"b":1}',
        user_data: base64('#!/bin/sh\nexport DB_PASSWORD=hunter2\n'),
        other_data: base64('#!/bin/sh\necho hello, dear world\n'),
        args: ['--password', 'hunter2', '--user', 'app'],
        AKIAIOSFODNN7EXAMPLE: 'x',
      }),
    ).toEqual({
      password: REDACTED,
      pin: { password: REDACTED },
      env: [
        { name: 'DB_PASSWORD', value: REDACTED },
        { name: 'MODE', value: 'x' },
      ],
      policy: `{"a":{"token":"${REDACTED}"},"b":1}`,
      user_data: REDACTED,
      other_data: base64('#!/bin/sh\necho hello, dear world\n'),
      args: ['--password', REDACTED, '--user', 'app'],
      [REDACTED]: 'x',
    });
  });

  it('leaves posture attributes as they are', () => {
    const posture = {
      password_policy: { minimum_password_length: 14 },
      metadata_options: [{ http_tokens: 'required' }],
      kms_key_id: 'arn:aws:kms:us-east-1:123456789012:key/1',
      master_password: '${random_password.db.result}',
      volume: [{ secret: { secretName: 's', optional: false } }],
      policy: '{ "Version": "2012-10-17", "Statement": [] }',
      automountServiceAccountToken: false,
    };
    expect(redactValue(posture)).toEqual(posture);
  });

  it('knows the key a value stands under from its path', () => {
    expect(redactValue('hunter2', 'evidence.password')).toBe(REDACTED);
    expect(redactValue(['hunter2'], 'evidence.items[3].tokens')).toEqual(['hunter2']);
    expect(redactValue('hunter2', 'evidence.passwords[0]')).toBe(REDACTED);
  });

  it('copies, keeps a key named __proto__, and cuts what is too deep', () => {
    const input = JSON.parse('{"__proto__":{"password":"hunter2"},"a":[1]}') as { a: number[] };
    const output = redactValue(input);
    expect(JSON.stringify(output)).toBe(`{"__proto__":{"password":"${REDACTED}"},"a":[1]}`);
    expect(output.a).not.toBe(input.a);
    let deep: unknown = { password: 'hunter2' };
    for (let i = 0; i < 5_000; i++) deep = [deep];
    expect(JSON.stringify(redactValue(deep))).toContain(REDACTED);
  });

  it('always passes the guard, and redacting again changes nothing', () => {
    const random = mulberry32(7);
    for (let i = 0; i < 3_000; i++) {
      const value = build(random, 0);
      const redacted = redactValue(value);
      expect({ value, paths: findSecretPaths(redacted) }).toEqual({ value, paths: [] });
      expect(redactValue(redacted)).toEqual(redacted);
    }
  });
});

const PIECES = [
  'password', 'secret', 'token', 'api_key', 'name', 'value', 'Key', 'Value', 'id', 'data', 'credentials', 'type', 'a', 'pa\u200bssword', 'primary_key',
  'AKIAIOSFODNN7EXAMPLE', 'hunter2', 'DB_PASSWORD', '${var.x}', 'true', '-----BEGIN PRIVATE KEY-----', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc',
  'password=x1y2z3', '--token abc123', 'https://u:pw@h/x', '"password":"x"', "'secret': 'x'", ';Password=abc;', 'Bearer abcdef0123456789abcd', '[REDACTED]',
  'AK\u200bIAIOSFODNN7EXAMPLE', 'cookie: a=bcdef; b=cdefg', '\\"token\\":\\"abc\\"', 'ghp_abcdefghijklmnopqrstuvwxyz0123456789', 'x', ' ', '=', ':', '{', '"', '\n',
]; // prettier-ignore

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function build(random: () => number, depth: number): unknown {
  const pick = (): string => PIECES[Math.floor(random() * PIECES.length)] ?? '';
  const many = <T>(make: () => T): T[] => Array.from({ length: Math.floor(random() * 4) }, make);
  const kind = random();
  if (depth > 4 || kind < 0.4) return many(pick).join(random() < 0.5 ? '' : ' ');
  if (kind < 0.45) return Math.floor(random() * 1e6);
  if (kind < 0.5) return random() < 0.5;
  if (kind < 0.6) return JSON.stringify(build(random, depth + 1));
  if (kind < 0.65) return Buffer.from(JSON.stringify(build(random, depth + 1))).toString('base64');
  if (kind < 0.75) return many(() => build(random, depth + 1));
  return Object.fromEntries(many(() => [random() < 0.9 ? pick() : pick() + pick(), build(random, depth + 1)] as const));
}
