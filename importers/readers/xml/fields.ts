import { BrokenRecord } from '../record.js';
import type { XmlElement } from './element.js';

export { BrokenRecord } from '../record.js';

/** All text in an element and below it, in its order and trimmed; undefined when there is none but white space. */
export function textOf(element: XmlElement | undefined): string | undefined {
  if (element === undefined) return undefined;
  const text = gather(element).trim();
  return text === '' ? undefined : text;
}

function gather({ content }: XmlElement): string {
  const [first] = content;
  if (content.length === 1 && typeof first === 'string') return first;
  return content.map((part) => (typeof part === 'string' ? part : gather(part))).join('');
}

/** The elements directly in an element: those of a local name, or all. */
export function childrenOf(element: XmlElement | undefined, name?: string): XmlElement[] {
  if (element === undefined) return [];
  return element.content.filter((part): part is XmlElement => typeof part !== 'string' && (name === undefined || part.name === name));
}

/** The first element at a path of local names below an element: `HostProperties/tag`. */
export function childAt(element: XmlElement | undefined, path: string): XmlElement | undefined {
  let found = element;
  for (const name of path.split('/')) {
    found = found?.content.find((part): part is XmlElement => typeof part !== 'string' && part.name === name);
    if (found === undefined) return undefined;
  }
  return found;
}

/** The text of the first element at a path below an element; undefined when it is missing or blank. */
export const textAt = (element: XmlElement | undefined, path: string): string | undefined => textOf(childAt(element, path));

/** The texts of all elements of a name directly in an element, each once, without blank ones. */
export function textsAt(element: XmlElement | undefined, name: string): string[] {
  return [...new Set(childrenOf(element, name).flatMap((child) => textOf(child) ?? []))];
}

/** The text at a path as a finite number. */
export const numberAt = (element: XmlElement | undefined, path: string): number | undefined => toNumber(textAt(element, path));

/** An attribute by its name as written (`id`, `xml:lang`); undefined when it is missing or blank. */
export function attributeOf(element: XmlElement | undefined, name: string): string | undefined {
  const value = element?.attributes[name];
  return value === undefined || value.trim() === '' ? undefined : value;
}

/** An attribute as a finite number. */
export const numberOf = (element: XmlElement | undefined, name: string): number | undefined => toNumber(attributeOf(element, name));

/** The innermost element of a name around an item. */
export const ancestorOf = ({ ancestors }: { ancestors: readonly XmlElement[] }, name: string): XmlElement | undefined =>
  ancestors.findLast((element) => element.name === name);

/** The text at a path; throws BrokenRecord naming the path when it is missing or blank. */
export function requireTextAt(element: XmlElement, path: string): string {
  const text = textAt(element, path);
  if (text !== undefined) return text;
  throw new BrokenRecord(`${element.name}/${path} ${childAt(element, path) === undefined ? 'is missing' : 'is empty'}`);
}

/** An attribute; throws BrokenRecord naming it when it is missing or blank. */
export function requireAttribute(element: XmlElement, name: string): string {
  const value = attributeOf(element, name);
  if (value !== undefined) return value;
  throw new BrokenRecord(`${element.name}/@${name} ${element.attributes[name] === undefined ? 'is missing' : 'is empty'}`);
}

/** The first element at a path; throws BrokenRecord naming the path when it is missing. */
export function requireChild(element: XmlElement, path: string): XmlElement {
  const child = childAt(element, path);
  if (child !== undefined) return child;
  throw new BrokenRecord(`${element.name}/${path} is missing`);
}

function toNumber(text: string | undefined): number | undefined {
  const number = Number(text?.trim() ?? Number.NaN);
  return Number.isFinite(number) ? number : undefined;
}
