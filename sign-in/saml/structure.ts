import { assertThat } from './refusal.js';
import type { XmlElement } from './xml-tree.js';

export const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
export const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion';
const DSIG = 'http://www.w3.org/2000/09/xmldsig#';

const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const TRANSFORMS = [`${DSIG}enveloped-signature`, EXCLUSIVE];
const SIGNATURES = ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512'];
const DIGESTS = ['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512'];
/** Parts of a signature that libraries look for wherever they stand in it. */
const ONCE = [
  'SignedInfo',
  'SignatureValue',
  'KeyInfo',
  'CanonicalizationMethod',
  'SignatureMethod',
  'Reference',
  'DigestMethod',
  'DigestValue',
];
const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';

export const is = (element: XmlElement, namespace: string, name: string): boolean =>
  element.namespace === namespace && element.name === name;

export const childrenOf = (element: XmlElement, namespace: string, name: string): XmlElement[] =>
  element.children.filter((child) => is(child, namespace, name));

/** The only child of the name. @throws SamlRefusal when there is none, or another one */
export function onlyChild(element: XmlElement, namespace: string, name: string): XmlElement {
  const found = childrenOf(element, namespace, name);
  assertThat(found.length === 1, `${element.name} must hold one ${name}, it holds ${found.length}`);
  return found[0]!;
}

function* descendants(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* descendants(child);
}

/** Which elements carry a signature; each of them must be verified. */
export interface SignedParts {
  readonly response: boolean;
  readonly assertion: boolean;
}

/**
 * Refuses every response of another shape than providers send, before a signature is looked at: one assertion, where it belongs; every
 * signature below the element that it signs, over that element whole; ids that are there once. A signature that was moved or wrapped
 * (XSW 1–8: Somorovsky et al., "On Breaking SAML", USENIX Security 2012) has another shape.
 * @throws SamlRefusal
 */
export function assertShape(root: XmlElement): SignedParts {
  assertThat(is(root, PROTOCOL, 'Response') && root.attributes.get('Version') === '2.0', 'The document is no SAML 2.0 response');
  const all = [...descendants(root)];
  const ids = all.flatMap(({ attributes }) => [...attributes].filter(([name]) => /^(.*:)?id$/i.test(name)).map(([, value]) => value));
  assertThat(
    ids.every((id) => /^[A-Za-z_][A-Za-z0-9_.-]{0,255}$/.test(id)),
    'An id is not one of XML',
  );
  assertThat(new Set(ids).size === ids.length, 'An id stands twice');

  const status = onlyChild(onlyChild(root, PROTOCOL, 'Status'), PROTOCOL, 'StatusCode').attributes.get('Value') ?? '';
  assertThat(status === SUCCESS, `The provider answers with the status ${status.slice(0, 200)}`);
  assertThat(!all.some(({ name }) => /^Encrypted/.test(name)), 'The provider encrypts; encrypted assertions are not supported');
  const assertions = all.filter(({ name }) => name === 'Assertion');
  const assertion = onlyChild(root, ASSERTION, 'Assertion');
  assertThat(assertions.length === 1, `The response holds ${assertions.length} assertions`);

  const signatures = all.filter(({ name }) => name === 'Signature');
  const own = [root, assertion].map((signed) => ({ signed, found: childrenOf(signed, DSIG, 'Signature') }));
  assertThat(
    own.every(({ found }) => found.length <= 1),
    'An element has several signatures',
  );
  assertThat(own.flatMap(({ found }) => found).length === signatures.length, 'A signature stands where none belongs');
  assertThat(signatures.length > 0, 'Neither the response nor the assertion is signed');
  for (const { signed, found } of own) if (found[0]) assertSignature(found[0], signed);
  return { response: own[0]!.found.length === 1, assertion: own[1]!.found.length === 1 };
}

function assertSignature(signature: XmlElement, signed: XmlElement): void {
  const names = [...descendants(signature)].map(({ name }) => name);
  assertThat(
    ONCE.every((name) => names.indexOf(name) === names.lastIndexOf(name)),
    'A part of a signature stands twice',
  );
  const algorithm = (element: XmlElement) => element.attributes.get('Algorithm') ?? '';
  const info = onlyChild(signature, DSIG, 'SignedInfo');
  const reference = onlyChild(info, DSIG, 'Reference');
  const transforms = onlyChild(reference, DSIG, 'Transforms').children.map(algorithm);
  const id = signed.attributes.get('ID');
  assertThat(id !== undefined && reference.attributes.get('URI') === `#${id}`, 'A signature is of another element than its own');
  assertThat(childrenOf(signature, DSIG, 'Object').length === 0, 'A signature holds an object');
  assertThat(algorithm(onlyChild(info, DSIG, 'CanonicalizationMethod')) === EXCLUSIVE, 'The canonicalization is not exclusive');
  assertThat(transforms.length <= 2 && transforms.every((name) => TRANSFORMS.includes(name)), 'A transform is not allowed');
  assertThat(transforms[0] === TRANSFORMS[0], 'A signature must leave itself out first');
  assertThat(SIGNATURES.includes(algorithm(onlyChild(info, DSIG, 'SignatureMethod'))), 'The signature algorithm is not RSA with SHA-256');
  assertThat(DIGESTS.includes(algorithm(onlyChild(reference, DSIG, 'DigestMethod'))), 'The digest algorithm is not SHA-256');
}
