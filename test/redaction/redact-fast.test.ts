import { existsSync, readFileSync, statSync } from 'node:fs';
import { maskText, maskValue } from '../../redaction/redact-fast.js';
import { redactText, redactValue } from '../../redaction/redact.js';
import { pick, random } from '../contract/list-model.js';
import { listSamples } from '../importers/read-all.js';

const body = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0';
const SECRETS = [
  `-----BEGIN RSA PRIVATE KEY-----\n${body}\n-----END RSA PRIVATE KEY-----`,
  `id AKIA${'ABCDEFGHIJKLMNOP'} used`,
  `eyJ${body}.${body}.sig`,
  `ghp_${body}`,
  `glpat-${body}`,
  `xoxb-${body}`,
  `sk_live_${body}`,
  `AIza${body.slice(0, 35)}`,
  `npm_${body.slice(0, 36)}`,
  `hvs.${body}`,
  `sk-${body}`,
  `postgres://user:${body}@db/x`,
  `AccountKey=${body}`,
  `Server=x; Password=${body}`,
  `Authorization: Basic ${body}`,
  `bearer ${body}1`,
  'password=hunter2secret',
  "db_password: 'hunter2'",
  'export API_TOKEN="abcdef123"',
  'tool --password hunter2secret',
  '("--token" s3cr3tvalue)',
  'Cookie: session=abcdef1234; path=/',
  '{"password":"hunter2"}',
  Buffer.from('password=hunter2secret and more').toString('base64'),
  'https://x.example/?sig=' + body + body,
  "'aws_db_instance.main.password' is 'hunter2'",
  'resource.aws_db_instance[main].password equals hunter2',
  'admin_password set to "correct horse battery"',
];

describe('the quick mask', () => {
  it.each(SECRETS)('masks what the thorough one masks: %s', (text) => {
    for (const whole of [text, `before ${text}`, `before\n${text}\nafter`]) {
      expect(maskText(whole)).toBe(redactText(whole));
      expect(maskValue({ evidence: [whole] })).toEqual(redactValue({ evidence: [whole] }));
    }
  });

  it('masks by key, by pair and by nested text as the thorough one does', () => {
    for (const value of [
      { password: 'x1' },
      { a: { secret_key: 12 } },
      [{ name: 'DB_PASSWORD', value: 'plain' }],
      { kms_key_id: 'k', password_policy: { min: 8 } },
      { note: '{"token":"abcdef"}' },
    ]) {
      expect(maskValue(value)).toEqual(redactValue(value));
    }
  });

  it('masks of an object what may be a secret, key by key, as the thorough one masks the whole', () => {
    const next = random(5);
    const words = [
      'id',
      'name',
      'value',
      'note',
      'Key',
      'Value',
      'hash',
      'password',
      'policy',
      'evidence',
      'config',
      'env',
      '__proto__',
      body,
    ];
    const plain = ['x', '0123456789abcdef0123456789abcdef', 'a text', '--password', 'TOKEN', 'hunter2', 7, null, true, undefined];
    const made = (depth: number): unknown => {
      const drawn = next();
      if (depth === 0 || drawn < 0.5) return pick(next, next() < 0.4 ? SECRETS : plain);
      if (drawn < 0.65) return Array.from({ length: Math.floor(next() * 4) }, () => made(depth - 1));
      return Object.fromEntries(Array.from({ length: Math.floor(next() * 5) }, () => [pick(next, words), made(depth - 1)]));
    };
    const written = (value: unknown) => JSON.stringify(value);
    for (let n = 0; n < 3_000; n++) {
      const value = { row: n, ...(made(3) as object), more: made(2) };
      expect(written(maskValue(value))).toBe(written(redactValue(value)));
    }
  });

  it('leaves what is harmless of an object as it is, and the object that it is given', () => {
    const [at, row] = [
      new Date(0),
      { finding_id: '0123456789abcdef0123456789abcdef', kept: { a: ['b'] }, note: SECRETS[0], at: new Date(0) },
    ];
    const masked = maskValue(row);
    expect(masked.kept).toBe(row.kept);
    expect(masked).toEqual({ ...row, note: '[REDACTED]', at });
    expect(row.note).toBe(SECRETS[0]);
  });

  it('agrees with the thorough one on every text of the samples', () => {
    const texts = new Set<string>();
    const walk = (value: unknown): void => {
      if (typeof value === 'string' && value.length < 2000) texts.add(value);
      else if (value !== null && typeof value === 'object') Object.entries(value).forEach((entry) => entry.forEach(walk));
    };
    for (const { path } of listSamples()) {
      if (!existsSync(path) || statSync(path).size > 2_000_000) continue;
      const text = readFileSync(path, 'utf8');
      try {
        walk(JSON.parse(text));
      } catch {
        text.split('\n', 2000).forEach(walk);
      }
    }
    const differing = [...texts].filter((text) => maskText(text) === text && redactText(text) !== text);
    expect(differing).toEqual([]);
  });
});
