import { PalisadeError } from '../../kit/base/errors.js';
import { notPlain, readXml, type XmlElement } from './xml-tree.js';

/** Bytes of a SAML response as XML; that of a person in a thousand groups is smaller. */
export const MAX_XML_BYTES = 300 * 1024;

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const DECLARATION = /^<\?xml version=(["'])1\.0\1(?: encoding=(["'])[Uu][Tt][Ff]-8\2)?(?: standalone=(["'])(?:yes|no)\3)? ?\?>/;

/** A response that may be given to a parser. */
export interface PlainResponse {
  readonly xml: string;
  /** What it says, before any signature was looked at. */
  readonly root: XmlElement;
}

/**
 * The XML of a posted SAML response, before any parser of a library has seen it.
 * @param field the form's value: base64
 * @throws PalisadeError PAYLOAD_TOO_LARGE; BAD_REQUEST for what is not base64, UTF-8, or the plain XML of `readXml`
 */
export function readResponse(field: string): PlainResponse {
  const base64 = field.replace(/[\r\n\t ]+/g, '');
  if (base64.length > (MAX_XML_BYTES / 3) * 4) throw new PalisadeError('PAYLOAD_TOO_LARGE', 'The SAML response is larger than the limit');
  if (!BASE64.test(base64)) throw notPlain();
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'));
  } catch {
    throw notPlain();
  }
  const xml = text.replace(DECLARATION, '').trim();
  return { xml, root: readXml(xml) };
}
