import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig, SECRET_SETTINGS } from '../../kit/base/config.js';

/** What is wrong with these settings, as the operator is told. */
function mistakesIn(env: Record<string, string>): string {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
}

it.each([
  ['TRUSTED_PROXIES', '10.0.0.1,proxy'],
  ['TRUSTED_PROXIES', '10.0.0.0/33'],
  ['OUTBOUND_ALLOW', '10.0.0.0/33'],
  ['OUTBOUND_ALLOW', 'intranet'],
  ['PUBLIC_URL', 'ftp://palisade.example.com'],
  ['PUBLIC_URL', 'palisade.example.com'],
  ['PUBLIC_URL', 'https://example.com/palisade'],
  ['ENGINES_URL', 'engines:8001'],
])('names %s=%s as a mistake', (name, value) => {
  expect(mistakesIn({ [name]: value })).toContain(`${name}`);
});

it('lists all mistakes at once', () => {
  const told = mistakesIn({
    PORT: 'http',
    TRUSTED_PROXIES: 'proxy',
    OUTBOUND_ALLOW: '10.0.0.1',
    PUBLIC_URL: 'https://example.com/palisade',
  });
  for (const name of ['PORT', 'TRUSTED_PROXIES', 'OUTBOUND_ALLOW', 'PUBLIC_URL']) expect(told).toContain(name);
});

it('takes addresses, networks and web addresses', () => {
  const config = loadConfig({
    TRUSTED_PROXIES: '10.0.0.1, 192.168.0.0/16, ::1, fd00::/8, loopback',
    OUTBOUND_ALLOW: '10.0.0.0/8,fd00::/8',
    PUBLIC_URL: 'https://palisade.example.com:8443/',
    ENGINES_URL: 'http://engines:8001',
  });
  expect(config.TRUSTED_PROXIES).toEqual(['10.0.0.1', '192.168.0.0/16', '::1', 'fd00::/8', 'loopback']);
  expect(config.OUTBOUND_ALLOW).toEqual(['10.0.0.0/8', 'fd00::/8']);
});

describe('secrets in files', () => {
  const VALUES: Record<string, string> = {
    MONGODB_URI: 'mongodb://user:word@host/',
    PALISADE_SECRET: 'x'.repeat(40),
    SMTP_URL: 'smtps://user:word@host',
    METRICS_TOKEN: 'a token of a length',
    COLLECTOR_AWS_SECRET_ACCESS_KEY: 'a key of a length',
    DEMO_PASSWORD: 'choose-a-long-one',
    DEMO_TOTP_SECRET: 'ABCDEFGHIJKLMNOP',
  };
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'palisade-secrets-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };

  it('every setting whose name or value tells a secret is one', () => {
    const byName = Object.keys(loadConfig({ ...VALUES })).filter((name) => /SECRET|TOKEN|PASSWORD|_URI$|^SMTP_URL$/.test(name));
    expect([...SECRET_SETTINGS].sort()).toEqual(byName.sort());
  });

  it.each(Object.entries(VALUES))('%s is read from %s_FILE, without the line break at its end', (name, value) => {
    const config: Record<string, unknown> = { ...loadConfig({ [`${name}_FILE`]: file(name, `${value}\n`) }) };
    expect(config[name]).toBe(value);
  });

  it('names a file that is not there, one that is empty, and both ways at once', () => {
    expect(mistakesIn({ METRICS_TOKEN_FILE: join(folder, 'absent') })).toMatch(/METRICS_TOKEN_FILE: ENOENT/);
    expect(mistakesIn({ METRICS_TOKEN_FILE: file('empty', '\n') })).toMatch(/METRICS_TOKEN: /);
    expect(mistakesIn({ METRICS_TOKEN: 'a token of a length', METRICS_TOKEN_FILE: file('both', 'a token of a length') })).toMatch(
      /exclude each other/,
    );
  });

  it('takes no file for what is no secret', () => {
    expect(loadConfig({ PORT_FILE: file('port', '9') }).PORT).toBe(8000);
  });
});

it('takes the port of the command line before that of the environment', () => {
  expect(loadConfig({ PORT: '1' }, ['--port', '2']).PORT).toBe(2);
  expect(() => loadConfig({}, ['--port', 'x'])).toThrow(/PORT/);
});
