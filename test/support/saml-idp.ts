import { createHash, createHmac, createSign, randomBytes, type KeyObject } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';

// A SAML identity provider that writes its XML by hand, in canonical form (exclusive C14N of it is the text itself), so that a test may sign
// anything and forge anything.

const SAML = 'urn:oasis:names:tc:SAML:2.0';
const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
export const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
export const RSA_SHA1 = `${DSIG}rsa-sha1`;
export const HMAC_SHA1 = `${DSIG}hmac-sha1`;
export const HMAC_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256';
export const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
export const SHA1 = `${DSIG}sha1`;
export const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
export const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';

/** What the service provider asked for. */
export interface AuthnRequest {
  readonly id: string;
  readonly issuer: string;
  readonly acsUrl: string;
  readonly destination: string;
  readonly xml: string;
}

/** Reads the AuthnRequest of a redirect (HTTP-Redirect binding). */
export function readAuthnRequest(location: string): AuthnRequest {
  const xml = inflateRawSync(Buffer.from(new URL(location).searchParams.get('SAMLRequest')!, 'base64')).toString();
  const attribute = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(xml)?.[1] ?? '';
  return {
    id: attribute('ID'),
    issuer: /<saml:Issuer[^>]*>([^<]*)</.exec(xml)?.[1] ?? '',
    acsUrl: attribute('AssertionConsumerServiceURL'),
    destination: attribute('Destination'),
    xml,
  };
}

/** The facts of a response; each may be forged. */
export interface ResponseFacts {
  responseId: string;
  assertionId: string;
  inResponseTo: string;
  confirmedInResponseTo: string;
  issuer: string;
  responseIssuer: string;
  destination: string;
  recipient: string;
  audience: string;
  status: string;
  issuedAt: Date;
  /** When the person proved who they are; as issued where it is absent. */
  authenticatedAt?: Date;
  expiresAt: Date;
  notBefore: Date;
  /** XML of the name: text, as a rule. */
  nameId: string;
  nameIdFormat: string;
  method: string;
  context: string;
  attributes: Record<string, string | readonly string[]>;
  /** XML put into the response, beside the assertion. */
  extra: string;
}

export const newId = (): string => `_${randomBytes(16).toString('hex')}`;

/** The facts of an honest answer to `request`. */
export function honestFacts(request: AuthnRequest, issuer: string, email: string, changes: Partial<ResponseFacts> = {}): ResponseFacts {
  const now = Date.now();
  return {
    responseId: newId(),
    assertionId: newId(),
    inResponseTo: request.id,
    confirmedInResponseTo: request.id,
    issuer,
    responseIssuer: issuer,
    destination: request.acsUrl,
    recipient: request.acsUrl,
    audience: request.issuer,
    status: `${SAML}:status:Success`,
    issuedAt: new Date(now),
    expiresAt: new Date(now + 300_000),
    notBefore: new Date(now - 5_000),
    nameId: email,
    nameIdFormat: EMAIL_FORMAT,
    method: `${SAML}:cm:bearer`,
    context: `${SAML}:ac:classes:PasswordProtectedTransport`,
    attributes: {},
    extra: '',
    ...changes,
  };
}

const escape = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** The assertion, unsigned. */
export function assertionXml(facts: ResponseFacts): string {
  const at = facts.issuedAt.toISOString();
  const attributes = Object.entries(facts.attributes).map(([name, values]) => {
    const texts = [values].flat().map((value) => `<saml:AttributeValue>${escape(value)}</saml:AttributeValue>`);
    return `<saml:Attribute Name="${name}">${texts.join('')}</saml:Attribute>`;
  });
  return (
    `<saml:Assertion xmlns:saml="${SAML}:assertion" ID="${facts.assertionId}" IssueInstant="${at}" Version="2.0">` +
    `<saml:Issuer>${facts.issuer}</saml:Issuer>` +
    `<saml:Subject><saml:NameID Format="${facts.nameIdFormat}">${facts.nameId}</saml:NameID>` +
    `<saml:SubjectConfirmation Method="${facts.method}"><saml:SubjectConfirmationData InResponseTo="${facts.confirmedInResponseTo}" ` +
    `NotOnOrAfter="${facts.expiresAt.toISOString()}" Recipient="${facts.recipient}"></saml:SubjectConfirmationData></saml:SubjectConfirmation></saml:Subject>` +
    `<saml:Conditions NotBefore="${facts.notBefore.toISOString()}" NotOnOrAfter="${facts.expiresAt.toISOString()}">` +
    `<saml:AudienceRestriction><saml:Audience>${facts.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>` +
    `<saml:AuthnStatement AuthnInstant="${(facts.authenticatedAt ?? facts.issuedAt).toISOString()}"><saml:AuthnContext><saml:AuthnContextClassRef>${facts.context}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>` +
    (attributes.length ? `<saml:AttributeStatement>${attributes.join('')}</saml:AttributeStatement>` : '') +
    `</saml:Assertion>`
  );
}

/** The response around `assertion`, unsigned. */
export function responseXml(facts: ResponseFacts, assertion: string): string {
  const at = facts.issuedAt.toISOString();
  return (
    `<samlp:Response xmlns:samlp="${SAML}:protocol" Destination="${facts.destination}" ID="${facts.responseId}" InResponseTo="${facts.inResponseTo}" ` +
    `IssueInstant="${at}" Version="2.0"><saml:Issuer xmlns:saml="${SAML}:assertion">${facts.responseIssuer}</saml:Issuer>` +
    `<samlp:Status><samlp:StatusCode Value="${facts.status}"></samlp:StatusCode></samlp:Status>${facts.extra}${assertion}</samlp:Response>`
  );
}

export interface Signing {
  key: KeyObject;
  signature?: string;
  digest?: string;
  /** The certificate's text, as the key of an HMAC. */
  hmacKey?: string;
  transforms?: readonly string[];
}

/** A signature over `text`, the canonical form of the element of `id`. */
export function signatureOf(text: string, id: string, signing: Signing): string {
  const { key, signature = RSA_SHA256, digest = SHA256, hmacKey = '', transforms = [`${DSIG}enveloped-signature`, EXCLUSIVE] } = signing;
  const digestValue = createHash(digest === SHA1 ? 'sha1' : 'sha256')
    .update(text)
    .digest('base64');
  const info =
    `<ds:SignedInfo xmlns:ds="${DSIG}"><ds:CanonicalizationMethod Algorithm="${EXCLUSIVE}"></ds:CanonicalizationMethod>` +
    `<ds:SignatureMethod Algorithm="${signature}"></ds:SignatureMethod><ds:Reference URI="#${id}"><ds:Transforms>` +
    transforms.map((name) => `<ds:Transform Algorithm="${name}"></ds:Transform>`).join('') +
    `</ds:Transforms><ds:DigestMethod Algorithm="${digest}"></ds:DigestMethod><ds:DigestValue>${digestValue}</ds:DigestValue></ds:Reference></ds:SignedInfo>`;
  const hash = signature.endsWith('sha1') ? 'sha1' : 'sha256';
  const value = signature.includes('hmac')
    ? createHmac(hash, hmacKey).update(info).digest('base64')
    : createSign(hash).update(info).sign(key, 'base64');
  // In the signature the prefix is declared already; the canonical form of SignedInfo alone declares it.
  const within = info.replace(` xmlns:ds="${DSIG}"`, '');
  return `<ds:Signature xmlns:ds="${DSIG}">${within}<ds:SignatureValue>${value}</ds:SignatureValue></ds:Signature>`;
}

/** Puts a signature where it belongs: after the element's own issuer. */
export const withSignature = (text: string, signature: string): string => text.replace('</saml:Issuer>', `</saml:Issuer>${signature}`);

export const SIGNED_PARTS = ['response', 'assertion', 'both'] as const;
export type SignedPart = (typeof SIGNED_PARTS)[number];

/** A response with its signatures. */
export function signedResponse(facts: ResponseFacts, part: SignedPart | 'none', signing: Signing): string {
  const bare = assertionXml(facts);
  const signed = part === 'assertion' || part === 'both';
  const assertion = signed ? withSignature(bare, signatureOf(bare, facts.assertionId, signing)) : bare;
  const response = responseXml(facts, assertion);
  return part === 'response' || part === 'both' ? withSignature(response, signatureOf(response, facts.responseId, signing)) : response;
}

/** The form field of a response. */
export const encode = (xml: string): string => Buffer.from(xml).toString('base64');
