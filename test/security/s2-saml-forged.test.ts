import { sessions } from '../../accounts/session-record.js';
import { selfSigned } from '../support/certificates.js';
import {
  assertionXml,
  EXCLUSIVE,
  HMAC_SHA1,
  HMAC_SHA256,
  newId,
  responseXml,
  RSA_SHA1,
  SHA1,
  SIGNED_PARTS,
  signatureOf,
  signedResponse,
  withSignature,
  type AuthnRequest,
  type ResponseFacts,
} from '../support/saml-idp.js';
import { Browser, post, samlTenant, type SamlTenant } from '../support/saml-tenant.js';
import { openServers, type ServersWorld } from '../support/world.js';

let world: ServersWorld;
let tenant: SamlTenant;
let other: SamlTenant;
const LONG = 600_000;

beforeAll(async () => {
  world = await openServers('proxied');
  tenant = await samlTenant(world);
  other = await samlTenant(world, {}, { keys: selfSigned() });
}, LONG);
afterAll(() => world.close());

type Make = (request: AuthnRequest) => string;
async function answered(make: Make, at: SamlTenant = tenant) {
  const browser = new Browser(world.url);
  const request = await at.begin(browser);
  const { posted } = await post(browser, request.acsUrl, make(request));
  return { status: posted.status, session: browser.session };
}
const REFUSED = { status: 400, session: undefined };
const ACCEPTED = { status: 302, session: expect.any(String) };

const key = () => ({ key: tenant.keys.privateKey });
const MINUTE = 60_000;
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE);

describe('S2: forged responses', () => {
  it.each(SIGNED_PARTS)('the genuine one, with the %s signed, is accepted', async (part) => {
    expect(await answered((request) => signedResponse(tenant.facts(request), part, key()))).toEqual(ACCEPTED);
  });

  it('without any signature', async () => {
    expect(await answered((request) => signedResponse(tenant.facts(request), 'none', key()))).toEqual(REFUSED);
  });

  it('with a broken signature beside a whole one', async () => {
    const broken = (xml: string, at: number) => {
      const values = [...xml.matchAll(/<ds:SignatureValue>(.{20})/g)];
      return xml.replace(values[at]![1]!, values[at]![1]!.split('').reverse().join(''));
    };
    for (const at of [0, 1])
      expect(await answered((request) => broken(signedResponse(tenant.facts(request), 'both', key()), at))).toEqual(REFUSED);
  });

  it.each(SIGNED_PARTS)("by another tenant's provider, with the %s signed", async (part) => {
    const foreign = { key: other.keys.privateKey };
    expect(await answered((request) => signedResponse(tenant.facts(request), part, foreign))).toEqual(REFUSED);
    expect(await answered((request) => signedResponse(other.facts(request), part, foreign))).toEqual(REFUSED);
    expect(await answered((request) => signedResponse(other.facts(request), part, foreign), other)).toEqual(ACCEPTED);
  });

  it('with the key of a certificate that comes along', async () => {
    const own = selfSigned();
    const carried = own.certificate.replace(/-----[A-Z ]+-----|\n/g, '');
    const make: Make = (request) =>
      signedResponse(tenant.facts(request), 'assertion', { key: own.privateKey }).replace(
        '</ds:Signature>',
        `<ds:KeyInfo><ds:X509Data><ds:X509Certificate>${carried}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></ds:Signature>`,
      );
    expect(await answered(make)).toEqual(REFUSED);
  });

  it.each([
    ['RSA with SHA-1', { signature: RSA_SHA1 }],
    ['a SHA-1 digest', { digest: SHA1 }],
    ['HMAC-SHA-1 with the certificate', { signature: HMAC_SHA1 }],
    ['HMAC-SHA-256 with the certificate', { signature: HMAC_SHA256 }],
    ['no enveloped-signature transform', { transforms: [EXCLUSIVE] }],
    [
      'an XSLT transform',
      { transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', 'http://www.w3.org/TR/1999/REC-xslt-19991116'] },
    ],
    ['an XPath transform', { transforms: ['http://www.w3.org/TR/1999/REC-xpath-19991116', EXCLUSIVE] }],
  ])('with %s', async (_name, signing) => {
    const make: Make = (request) =>
      signedResponse(tenant.facts(request), 'assertion', { ...key(), hmacKey: tenant.keys.certificate, ...signing });
    expect(await answered(make)).toEqual(REFUSED);
  });

  it('under a key of 1,024 bits, although it is the one that is set', async () => {
    const keys = selfSigned({ bits: 1_024 });
    const weak = await samlTenant(world, {}, { keys });
    const make: Make = (request) => signedResponse(weak.facts(request), 'assertion', { key: keys.privateKey });
    expect(await answered(make, weak)).toEqual(REFUSED);
  });

  it.each<[string, Partial<ResponseFacts>]>([
    ['another audience', { audience: 'https://palisade.test/auth/saml/metadata' }],
    ["another tenant's audience", { audience: 'https://palisade.test/api/auth/saml/ten_other/metadata/' }],
    ['another recipient', { recipient: 'https://palisade.test/auth/saml/callback' }],
    ['another destination', { destination: 'https://evil.example/acs' }],
    ['another issuer of the assertion', { issuer: 'https://evil.example' }],
    ['another issuer of the response', { responseIssuer: 'https://evil.example' }],
    ['a status other than success', { status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' }],
    ['an expired assertion', { expiresAt: ago(2) }],
    ['an assertion that is not valid yet', { notBefore: new Date(Date.now() + 10 * MINUTE) }],
    ['an IssueInstant a day old', { issuedAt: ago(1_440) }],
    ['an IssueInstant ten minutes old', { issuedAt: ago(10) }],
    ['an IssueInstant in the future', { issuedAt: new Date(Date.now() + 10 * MINUTE) }],
    ['a confirmation other than bearer', { method: 'urn:oasis:names:tc:SAML:2.0:cm:sender-vouches' }],
    ['a confirmation for another request', { confirmedInResponseTo: '_another' }],
    ['a NameID of another format', { nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' }],
    ['a NameID that is no address', { nameId: 'ada' }],
    ['a NameID that becomes another one in lower case', { nameId: '\u212a@example.com' }],
    ['an e-mail attribute that is no address', { attributes: { email: 'ada@b.example, root@b.example' } }],
  ])('with %s', async (_name, forged) => {
    for (const part of SIGNED_PARTS)
      expect(await answered((request) => signedResponse(tenant.facts(request, forged), part, key()))).toEqual(REFUSED);
  });

  /** An answer whose assertion was changed before it was signed. */
  const signedAfter =
    (change: (assertion: string) => string): Make =>
    (request) => {
      const facts = tenant.facts(request);
      const honest = assertionXml(facts);
      const changed = change(honest);
      if (changed === honest) throw new Error('nothing was changed');
      return responseXml(facts, withSignature(changed, signatureOf(changed, facts.assertionId, key())));
    };
  const CONFIRMATION = /<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/;

  it.each<[string, RegExp]>([
    ['a recipient', / Recipient="[^"]*"/],
    ['the request that it answers', /InResponseTo="[^"]*" /],
    ['an end of its confirmation', / NotOnOrAfter="[^"]*"(?= Recipient)/],
    ['confirmation data', /<saml:SubjectConfirmationData.*<\/saml:SubjectConfirmationData>/],
    ['a confirmation', CONFIRMATION],
    ['a NameID', /<saml:NameID.*<\/saml:NameID>/],
    ['a format of its NameID', / Format="[^"]*"/],
    ['a subject', /<saml:Subject>.*<\/saml:Subject>/],
    ['conditions', /<saml:Conditions.*<\/saml:Conditions>/],
    ['an audience restriction', /<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/],
    ['an audience', /<saml:Audience>.*<\/saml:Audience>/],
    ['an AuthnStatement', /<saml:AuthnStatement.*<\/saml:AuthnStatement>/],
    ["its issuer's name", /(?<=<saml:Issuer>)[^<]+/],
    ['an IssueInstant', / IssueInstant="[^"]*"/],
    ['a version', / Version="2.0"/],
  ])('with an assertion that lacks %s', async (_name, part) => {
    expect(await answered(signedAfter((assertion) => assertion.replace(part, '')))).toEqual(REFUSED);
  });

  it.each<[string, (assertion: string) => string]>([
    ['a second bearer', (xml) => xml.replace(CONFIRMATION, '$&$&')],
    ['a second NameID', (xml) => xml.replace(/<saml:NameID.*<\/saml:NameID>/, '$&$&')],
    ['a second subject', (xml) => xml.replace(/<saml:Subject>.*<\/saml:Subject>/, '$&$&')],
    ['second conditions', (xml) => xml.replace(/<saml:Conditions.*<\/saml:Conditions>/, '$&$&')],
    [
      'a second audience restriction, for another service',
      (xml) => xml.replace('</saml:Conditions>', '<saml:AudienceRestriction><saml:Audience>x</saml:Audience></saml:AudienceRestriction>$&'),
    ],
    [
      'an assertion in its advice',
      (xml) => xml.replace('<saml:AuthnStatement', '<saml:Advice><saml:Assertion></saml:Assertion></saml:Advice>$&'),
    ],
    [
      'an attribute twice',
      (xml) =>
        xml
          .replace('</saml:Assertion>', `${'<saml:Attribute Name="groups"></saml:Attribute>'.repeat(2)}$&`)
          .replace(/(<saml:Attribute .*<\/saml:Attribute>)/, '<saml:AttributeStatement>$1</saml:AttributeStatement>'),
    ],
  ])('with an assertion that holds %s', async (_name, change) => {
    expect(await answered(signedAfter(change))).toEqual(REFUSED);
  });

  it.each<[string, (xml: string, responseId: string, assertionId: string) => string]>([
    ['to the whole document', (xml) => xml.replace(/ URI="[^"]*"/, ' URI=""')],
    ['to the response around it', (xml, id) => xml.replace(/ URI="[^"]*"/, ` URI="#${id}"`)],
    ['by an XPointer', (xml, _id, id) => xml.replace(/ URI="[^"]*"/, ` URI="#xpointer(id('${id}'))"`)],
    ['to an id that stands elsewhere, too', (xml, _id, id) => xml.replace('<samlp:Status>', `<samlp:Status ID="${id}">`)],
    ['to an id that stands elsewhere as xml:id', (xml, _id, id) => xml.replace('<samlp:Status>', `<samlp:Status xml:id="${id}">`)],
    ['over a text with comments', (xml) => xml.replaceAll(EXCLUSIVE, `${EXCLUSIVE}WithComments`)],
  ])('with a signature that refers %s', async (_name, change) => {
    const make: Make = (request) => {
      const facts = tenant.facts(request);
      return change(signedResponse(facts, 'assertion', key()), facts.responseId, facts.assertionId);
    };
    expect(await answered(make)).toEqual(REFUSED);
  });

  it('with two assertions, each signed', async () => {
    const make: Make = (request) => {
      const [first, second] = [tenant.facts(request), tenant.facts(request, { assertionId: newId() })];
      const signed = (facts: ResponseFacts) =>
        withSignature(assertionXml(facts), signatureOf(assertionXml(facts), facts.assertionId, key()));
      return responseXml(first, signed(first) + signed(second));
    };
    expect(await answered(make)).toEqual(REFUSED);
  });

  it('with an encrypted assertion', async () => {
    const encrypted = '<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"></saml:EncryptedAssertion>';
    expect(await answered((request) => signedResponse(tenant.facts(request, { extra: encrypted }), 'response', key()))).toEqual(REFUSED);
    expect(
      await answered((request) =>
        signedResponse(tenant.facts(request, { extra: '<samlp:Extensions></samlp:Extensions>' }), 'response', key()),
      ),
    ).toEqual(ACCEPTED);
  });

  it('leave no session behind', async () => {
    const before = await world.database.system(sessions).count({ sso_tenant_id: tenant.id });
    await answered((request) => signedResponse(tenant.facts(request, { audience: 'x' }), 'both', key()));
    expect(await world.database.system(sessions).count({ sso_tenant_id: tenant.id })).toBe(before);
  });
});
