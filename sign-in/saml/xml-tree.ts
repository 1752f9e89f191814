import { badRequest } from '../../kit/base/errors.js';

/** An element with its names resolved, and entities in texts and values replaced. */
export interface XmlElement {
  readonly namespace: string;
  readonly name: string;
  /** By the name as written; namespace declarations are left out. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** The element's own text, without that of its children. */
  readonly text: string;
}

/** A response is a dozen levels deep; a group costs one element and up to three attributes. */
const MAX_DEPTH = 40;
const MAX_ELEMENTS = 2_500;
const MAX_ATTRIBUTES = 5_000;
const MAX_ATTRIBUTES_OF_ONE = 32;

const NAME = '[A-Za-z_][A-Za-z0-9_.-]{0,127}(?::[A-Za-z_][A-Za-z0-9_.-]{0,127})?';
const OPEN = new RegExp(`<(${NAME})`, 'y');
const ATTRIBUTE = new RegExp(`[ \\t\\r\\n]+(${NAME})=("[^"<]*"|'[^'<]*')`, 'y');
const TAIL = /[ \t\r\n]*(\/?)>/y;
const CLOSE = new RegExp(`</(${NAME})[ \\t\\r\\n]*>`, 'y');
const TEXT = /[^<]+/y;

const REFERENCE = /&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6}));/g;
const BARE_AMPERSAND = /&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});)/;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
/** Comments, CDATA, declarations, processing instructions, and whatever is no character of XML 1.0 (production 2, "Char"). */
const FORBIDDEN = /<[!?]|[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

export const notPlain = () => badRequest('The SAML response is not valid');

const MAX_CODE_POINT = 0x10ffff;
function decode(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (_all, name?: string, decimal?: string, hexadecimal?: string) => {
    if (name !== undefined) return NAMED[name]!;
    const code = decimal === undefined ? parseInt(hexadecimal!, 16) : Number(decimal);
    if (code > MAX_CODE_POINT) throw notPlain();
    return String.fromCodePoint(code);
  });
}

/** Prefixes that an element declares, the default namespace as the empty one, and those around it. */
interface Scope {
  readonly own: ReadonlyMap<string, string>;
  readonly outer: Scope | null;
}

interface Open {
  readonly tag: string;
  readonly scope: Scope;
  readonly element: XmlElement & { children: XmlElement[]; text: string };
}

const OUTSIDE: Scope = { own: new Map([['', '']]), outer: null };
const declaredPrefix = (name: string): string | null => (name === 'xmlns' ? '' : name.startsWith('xmlns:') ? name.slice(6) : null);

function scopeWithin(outer: Scope, attributes: ReadonlyMap<string, string>): Scope {
  const own = new Map<string, string>();
  for (const [name, namespace] of attributes) {
    const prefix = declaredPrefix(name);
    if (prefix === null) continue;
    if (/^xml/i.test(prefix) || (prefix !== '' && namespace === '')) throw notPlain();
    own.set(prefix, namespace);
  }
  return own.size === 0 ? outer : { own, outer };
}

function resolve(tag: string, innermost: Scope): { namespace: string; name: string } {
  const colon = tag.indexOf(':');
  const prefix = colon < 0 ? '' : tag.slice(0, colon);
  for (let scope: Scope | null = innermost; scope; scope = scope.outer) {
    const namespace = scope.own.get(prefix);
    if (namespace !== undefined) return { namespace, name: tag.slice(colon + 1) };
  }
  throw notPlain();
}

/**
 * Reads the part of XML that SAML needs: elements, attributes, text and the predefined entities. Document types, comments, CDATA sections
 * and processing instructions carry attacks (entity expansion, texts that are cut where a comment stands) and are refused, as is whatever
 * is not well-formed. Each character is looked at a fixed number of times; depth and counts are bounded, because the libraries that read
 * the text next take time that grows faster than its length.
 * @throws PalisadeError BAD_REQUEST
 */
export function readXml(xml: string): XmlElement {
  if (FORBIDDEN.test(xml) || BARE_AMPERSAND.test(xml)) throw notPlain();
  let [position, elements, attributeCount] = [0, 0, 0];
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position;
    const match = pattern.exec(xml);
    if (match) position = pattern.lastIndex;
    return match;
  };

  const readAttributes = (): Map<string, string> => {
    const own = new Map<string, string>();
    for (let match = take(ATTRIBUTE); match; match = take(ATTRIBUTE)) {
      if (own.has(match[1]!) || own.size === MAX_ATTRIBUTES_OF_ONE) throw notPlain();
      own.set(match[1]!, decode(match[2]!.slice(1, -1)));
    }
    attributeCount += own.size;
    if (attributeCount > MAX_ATTRIBUTES) throw notPlain();
    return own;
  };

  const stack: Open[] = [];
  let root: XmlElement | null = null;
  while (position < xml.length) {
    const parent = stack.at(-1);
    if (root !== null && !parent) throw notPlain();
    const start = take(OPEN);
    if (start) {
      const written = readAttributes();
      const tail = take(TAIL);
      elements += 1;
      if (!tail || elements > MAX_ELEMENTS || stack.length === MAX_DEPTH) throw notPlain();
      const scope = scopeWithin(parent?.scope ?? OUTSIDE, written);
      const attributes = new Map([...written].filter(([name]) => declaredPrefix(name) === null));
      const element = { ...resolve(start[1]!, scope), attributes, children: [], text: '' };
      root ??= element;
      parent?.element.children.push(element);
      if (!tail[1]) stack.push({ tag: start[1]!, scope, element });
      continue;
    }
    if (!parent) throw notPlain();
    const end = take(CLOSE);
    if (end && end[1] === parent.tag) stack.pop();
    else {
      const text = end ? null : take(TEXT);
      if (!text) throw notPlain();
      parent.element.text += decode(text[0]);
    }
  }
  if (root === null || stack.length > 0) throw notPlain();
  return root;
}
