import {
  assertionXml,
  newId,
  responseXml,
  signatureOf,
  withSignature,
  type ResponseFacts,
  type SignedPart,
  type Signing,
} from './saml-idp.js';

// Signature wrapping (Somorovsky et al., "On Breaking SAML: Be Whoever You Want to Be", USENIX Security 2012): the signed element stays in
// the document, where its signature still finds it, and a forged one stands where it is read.

export const WRAPPINGS = [1, 2, 3, 4, 5, 6, 7, 8] as const;
export type Wrapping = (typeof WRAPPINGS)[number];

const inSignature = (signature: string, content: string) => signature.replace('</ds:Signature>', `${content}</ds:Signature>`);
const last = (element: string, content: string) => element.replace(/(<\/(?:samlp:Response|saml:Assertion)>)$/, `${content}$1`);
const extensions = (content: string) => `<samlp:Extensions>${content}</samlp:Extensions>`;
const object = (content: string) => `<ds:Object>${content}</ds:Object>`;
const keyInfo = (content: string) => `<ds:KeyInfo>${content}</ds:KeyInfo>`;

/** The attack on one signed element: `bare` with `signature` is genuine, `evil` is forged. `beside` puts the genuine one next to the forged. */
function wrap(attack: Wrapping, bare: string, signature: string, evil: string, beside: (evil: string, genuine: string) => string): string {
  const genuine = withSignature(bare, signature);
  switch (attack) {
    case 1:
      return withSignature(evil, inSignature(signature, bare));
    case 2:
      return withSignature(evil, bare + signature);
    case 3:
      return beside(evil, genuine);
    case 4:
      return last(evil, genuine);
    case 5:
      return beside(withSignature(evil, signature), bare);
    case 6:
      return withSignature(evil, inSignature(signature, keyInfo(bare)));
    case 7:
      return beside(extensions(evil), genuine);
    case 8:
      return withSignature(evil, inSignature(signature, object(bare)));
  }
}

/** Every document of an attack on what is genuinely signed as `part`: `honest` is what the provider has signed, `claim` what the attacker adds. */
export function wrappedResponses(
  attack: Wrapping,
  part: SignedPart,
  honest: ResponseFacts,
  claim: Partial<ResponseFacts>,
  signing: Signing,
): string[] {
  const forged = { ...honest, ...claim, assertionId: newId(), responseId: newId() };
  const bare = assertionXml(honest);
  const evil = assertionXml(forged);
  const ofAssertion = signatureOf(bare, honest.assertionId, signing);
  const inResponse = wrap(attack, bare, ofAssertion, evil, (first, second) => first + second);
  if (part === 'assertion') return [responseXml(honest, inResponse)];

  const response = responseXml(honest, part === 'both' ? withSignature(bare, ofAssertion) : bare);
  const ofResponse = signatureOf(response, honest.responseId, signing);
  const around = wrap(attack, response, ofResponse, responseXml(forged, evil), last);
  const within = withSignature(
    responseXml(
      honest,
      wrap(attack, bare, ofAssertion, evil, (first, second) => first + second),
    ),
    ofResponse,
  );
  // The response's signature kept and broken, or stripped.
  return part === 'response' ? [around, within.replace(ofAssertion, '')] : [around, within, within.replace(ofResponse, '')];
}
