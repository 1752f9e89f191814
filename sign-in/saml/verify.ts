import { X509Certificate } from 'node:crypto';
import type { SsoSettingsRow } from '../../accounts/providers/records.js';
import { assertFresh, assertIssuer, CLOCK_SKEW, MAX_AGE, readFacts, type AssertionFacts } from './facts.js';
import type { ExpectedAnswer } from './expected-answer.js';
import { assertThat, SamlRefusal } from './refusal.js';
import { assertShape, ASSERTION, childrenOf, onlyChild } from './structure.js';
import type { PlainResponse } from './text-gate.js';
import { readXml } from './xml-tree.js';

const LEAST_MODULUS = 2_048;
const MAX_CERTIFICATES = 2;

/** A certificate is a way to carry a key: its dates do not matter (saml-metadata-iop-os, 2.6.1), its key does. */
function isStrong(pem: string): boolean {
  const { publicKey } = new X509Certificate(pem);
  return publicKey.asymmetricKeyType === 'rsa' && (publicKey.asymmetricKeyDetails?.modulusLength ?? 0) >= LEAST_MODULUS;
}

/**
 * Checks a response whole: its shape, every signature in it under the keys of the tenant's provider, its conditions, and what ties it to the
 * request. Only the bytes that a signature covers are read for what they say.
 * @param request the sign-in that the response names
 * @throws SamlRefusal with the first thing that does not hold
 */
export async function verifyResponse(
  response: PlainResponse,
  request: ExpectedAnswer,
  settings: SsoSettingsRow,
  now: Date,
): Promise<AssertionFacts> {
  const { saml } = settings;
  assertThat(saml !== null && (saml.enabled || request.tester !== null), 'SAML is not set up');
  const { root, xml } = response;
  const signed = assertShape(root);
  const provider = saml.idp_entity_id;
  const destination = root.attributes.get('Destination');
  assertThat(destination === undefined || destination === request.acs_url, `The destination is not ${request.acs_url}`);
  assertThat(destination !== undefined || !signed.response, 'A signed response must name its destination');
  assertFresh(root, now);
  for (const issuer of childrenOf(root, ASSERTION, 'Issuer')) assertIssuer(issuer, provider);

  const keys = saml.idp_certificates.slice(0, MAX_CERTIFICATES).filter(isStrong);
  assertThat(keys.length > 0, `No certificate with an RSA key of ${LEAST_MODULUS} bits or more is set`);
  const verified = readXml(await verifiedAssertion(xml, request, keys, signed));
  // What was verified is what was looked at: the same assertion, by its id.
  assertThat(
    verified.attributes.get('ID') === onlyChild(root, ASSERTION, 'Assertion').attributes.get('ID'),
    'Another assertion was signed',
  );
  return readFacts(verified, request, provider, saml.attributes, now);
}

/** The assertion as signed: canonical bytes. */
async function verifiedAssertion(
  xml: string,
  request: ExpectedAnswer,
  idpCert: string[],
  signed: { response: boolean; assertion: boolean },
): Promise<string> {
  // Loaded at the first response: it brings half a second of modules that most processes never need.
  const { SAML, ValidateInResponseTo } = await import('@node-saml/node-saml');
  const library = new SAML({
    idpCert,
    issuer: request.entity_id,
    audience: request.entity_id,
    callbackUrl: request.acs_url,
    signatureAlgorithm: 'sha256',
    // Whatever carries a signature must carry a valid one.
    wantAuthnResponseSigned: signed.response,
    wantAssertionsSigned: signed.assertion,
    maxAssertionAgeMs: MAX_AGE,
    acceptedClockSkewMs: CLOCK_SKEW,
    validateInResponseTo: ValidateInResponseTo.always,
    cacheProvider: onlyRequest(request),
  });
  try {
    const { profile } = await library.validatePostResponseAsync({ SAMLResponse: Buffer.from(xml).toString('base64') });
    assertThat(profile !== null && profile.getAssertionXml !== undefined, 'The response holds no assertion');
    return profile.getAssertionXml();
  } catch (error) {
    throw new SamlRefusal((error as Error).message.slice(0, 300));
  }
}

/** The library's memory of requests: the one that was found in the store and is ours alone. */
const onlyRequest = ({ _id, created_at }: ExpectedAnswer) => ({
  saveAsync: async () => null,
  getAsync: async (id: string) => (id === _id ? created_at.toISOString() : null),
  removeAsync: async () => null,
});
