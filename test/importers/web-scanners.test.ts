import { originOf, pathOf } from '../../importers/normalize/web-finding.js';
import { fixture } from './fixtures.js';
import { readAll } from './read-all.js';

it.each([
  ['https://Shop.example.com:443/cart?x=1', 'https://shop.example.com', '/cart'],
  ['http://shop.example.com:8080', 'http://shop.example.com:8080', '/'],
  ['https://user:word@shop.example.com/a#b', 'https://shop.example.com', '/a'],
  ['/http://dvwa/', 'http://dvwa', '/'],
  ['shop.example.com:22', 'shop.example.com:22', undefined],
  ['https://[2001:db8::1]:8443/x', 'https://[2001:db8::1]:8443', '/x'],
  ['', undefined, undefined],
])('%s begins with %s and goes on with %s', (address, origin, path) => {
  expect([originOf(address), pathOf(address)]).toEqual([origin, path]);
});

it('ZAP tells the same in XML as in JSON, without queries, and not what is marked as false', async () => {
  const json = await readAll('zap', fixture('zap', 'report.json'));
  const xml = await readAll('zap', fixture('zap', 'report.xml'));
  expect(json.observations).toHaveLength(1);
  expect(json.observations[0]).toMatchObject({
    engine: 'secops',
    rule_id: 'zap-10038-1',
    severity: 'medium',
    resource_uid: 'https://shop.example.com',
    resource_type: 'web_application',
    controls: [
      { framework: 'CWE', control_id: 'CWE-693' },
      { framework: 'OWASP Top 10 2021', control_id: 'A05' },
    ],
    remediation: { guidance: 'Set the header.' },
    evidence: { method: 'GET', path: '/cart', confidence: 'high', count: 2, instances: [{ path: '/cart' }, { path: '/' }] },
  });
  expect(JSON.stringify(json.items)).not.toContain('token=abc');
  const identity = ({ rule_id, resource_uid, discriminator }: (typeof json.observations)[0]) => [rule_id, resource_uid, discriminator];
  expect(identity(xml.observations[0]!)).toEqual(identity(json.observations[0]!));
});

it.each(['report.json', 'report.xml'])('ZAP covers each site of %s, alerts or none', async (report) => {
  const { items } = await readAll('zap', fixture('zap', report));
  expect(items.flatMap((item) => (item.kind === 'scope' ? [item.scope.artifact] : []))).toEqual([
    'https://shop.example.com',
    'http://static.example.com:8080',
  ]);
});

it('an issue of Burp keeps its identity when its serial number changes, and no request', async () => {
  const report = fixture('burp', 'issues.xml').toString();
  const { observations, items } = await readAll('burp', report);
  expect(observations.map(({ rule_id, severity }) => [rule_id, severity])).toEqual([
    ['burp-1049088', 'high'],
    ['burp-7340288', 'info'],
  ]);
  expect(observations[0]).toMatchObject({
    discriminator: '/search|[q parameter]',
    controls: [{ framework: 'CWE', control_id: 'CWE-89' }],
    references: [{ url: 'https://portswigger.net/web-security/sql-injection' }],
    evidence: { method: 'GET', path: '/search', parameter: 'q', status_detail: 'The q parameter appears to be vulnerable.' },
  });
  expect(JSON.stringify(items)).not.toContain('R0VUIC9zZWFyY2g');
  const again = await readAll('burp', report.replace('4564376537657350000', '99'));
  expect(again.observations[0]?.discriminator).toBe(observations[0]?.discriminator);
});

it('a match of Nuclei for a CVE is a vulnerability, a matcher that did not match passes, and no request is kept', async () => {
  const { observations, items } = await readAll('nuclei', fixture('nuclei', 'report.jsonl'));
  expect(observations).toMatchObject([
    {
      engine: 'vulnerability',
      rule_id: 'CVE-2021-44228',
      severity: 'critical',
      cvss: 10,
      epss: 0.97,
      resource_uid: 'https://shop.example.com',
      evidence: { path: '/api/login', template: 'CVE-2021-44228' },
    },
    { engine: 'secops', result: 'PASS', rule_id: 'http-missing-security-headers', evidence: { matcher: 'permissions-policy' } },
  ]);
  expect(JSON.stringify(items)).not.toContain('Bearer');
  const old = await readAll('nuclei', fixture('nuclei', 'export.json'));
  expect(old.observations[1]).toMatchObject({ rule_id: 'tech-detect', evidence: { matcher: 'nginx', extracted: ['nginx/1.25'] } });
});
