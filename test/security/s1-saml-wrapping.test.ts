import { sessions } from '../../accounts/session-record.js';
import { SIGNED_PARTS, signedResponse } from '../support/saml-idp.js';
import { Browser, post, samlTenant, type SamlTenant } from '../support/saml-tenant.js';
import { WRAPPINGS, wrappedResponses } from '../support/saml-wrapping.js';
import { openServers, type ServersWorld } from '../support/world.js';

let world: ServersWorld;
let tenant: SamlTenant;
const LONG = 600_000;

beforeAll(async () => {
  world = await openServers('proxied');
  tenant = await samlTenant(world, { group_mappings: [{ group: 'admins', role: 'tenant_admin', priority: 1 }] });
}, LONG);
afterAll(() => world.close());

const sessionCount = () => world.database.system(sessions).count({ sso_tenant_id: tenant.id });
const signing = () => ({ key: tenant.keys.privateKey });

/** Posts what `make` forges of a genuine answer to mallory. */
async function attack(make: (facts: ReturnType<SamlTenant['facts']>) => string) {
  const browser = new Browser(world.url);
  const request = await tenant.begin(browser);
  const facts = tenant.facts(request, { nameId: `mallory@${tenant.domain}` });
  const { posted } = await post(browser, request.acsUrl, make(facts));
  return { status: posted.status, session: browser.session, text: await posted.text() };
}

describe('S1: signature wrapping', () => {
  it.each(SIGNED_PARTS)('a genuine response whose %s is signed has a session', async (part) => {
    const before = await sessionCount();
    const { status, session } = await attack((facts) => signedResponse(facts, part, signing()));
    expect({ status, session }).toEqual({ status: 302, session: expect.any(String) });
    expect(await sessionCount()).toBe(before + 1);
  });

  const cases = WRAPPINGS.flatMap((number) => SIGNED_PARTS.map((part) => [number, part] as const));
  it.each(cases)('XSW%d over what is signed as %s is refused', async (number, part) => {
    const before = await sessionCount();
    const claim = { nameId: `victim@${tenant.domain}`, attributes: { groups: 'admins' } };
    const forms = wrappedResponses(
      number,
      part,
      tenant.facts({ id: '_x', issuer: '', acsUrl: '', destination: '', xml: '' }),
      claim,
      signing(),
    ).length;
    for (let form = 0; form < forms; form++) {
      const { status, session, text } = await attack((facts) => wrappedResponses(number, part, facts, claim, signing())[form]!);
      expect({ form, status, session }).toEqual({ form, status: 400, session: undefined });
      expect(text).not.toMatch(/signature|assertion|at .*:\d+:\d+/i);
    }
    expect(await sessionCount()).toBe(before);
  });
});

describe('S1: texts that are read otherwise than they were signed', () => {
  const inserted = [
    ['a comment', '<!---->'],
    ['a comment with text', '<!-- x -->'],
    ['a CDATA section', '<![CDATA[]]>'],
    ['a processing instruction', '<?x y?>'],
  ] as const;

  it.each(inserted)('%s in a NameID is refused, although the signature holds with it', async (_name, text) => {
    const { status, session } = await attack((facts) =>
      signedResponse({ ...facts, nameId: `ada@${tenant.domain}.evil.example` }, 'assertion', signing()).replace(
        '.evil.example<',
        `${text}.evil.example<`,
      ),
    );
    expect({ status, session }).toEqual({ status: 400, session: undefined });
  });

  it.each(inserted.slice(1))('%s anywhere else is refused', async (_name, text) => {
    const { status } = await attack((facts) =>
      signedResponse(facts, 'assertion', signing()).replace('<samlp:Status>', `${text}<samlp:Status>`),
    );
    expect(status).toBe(400);
  });

  it('an element in a NameID is refused', async () => {
    const { status } = await attack((facts) =>
      signedResponse({ ...facts, nameId: `ada@${tenant.domain}<saml:x></saml:x>` }, 'assertion', signing()),
    );
    expect(status).toBe(400);
  });
});
