import { certificatesIn, mappingLines, mappingsIn } from '../../console/app/settings/sso-values.js';

describe('single sign-on as a form has it', () => {
  it('has groups as lines whose order is what wins', () => {
    const mappings = [
      { group: 'readers', role: 'viewer', priority: 20 },
      { group: 'cn=admins,dc=example', role: 'tenant_admin', priority: 10 },
    ] as const;
    const lines = mappingLines(mappings);
    expect(lines).toEqual(['cn=admins,dc=example = tenant_admin', 'readers = viewer']);
    expect(mappingsIn(lines)).toEqual([
      { group: 'cn=admins,dc=example', role: 'tenant_admin', priority: 1 },
      { group: 'readers', role: 'viewer', priority: 2 },
    ]);
    // the API says what is wrong with a line without a role
    expect(mappingsIn(['readers'])).toEqual([{ group: '', role: 'readers', priority: 1 }]);
  });

  it('has one certificate or two in a text', () => {
    const pem = (body: string) => `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----`;
    expect(certificatesIn(`${pem('a')}\n\n${pem('b')}\n`)).toEqual([pem('a'), pem('b')]);
    expect(certificatesIn('none')).toEqual(['none']);
  });
});
