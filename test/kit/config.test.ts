import { ConfigError, loadConfig } from '../../kit/base/config.js';

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
