import type { ReadFault, ReadRecord } from '../record.js';

/** An element of an XML report. */
export interface XmlElement {
  /** The local name: `item` of `<ns:item>`. */
  readonly name: string;
  /** The namespace that its prefix, or the default, stands for; empty for none. */
  readonly namespace: string;
  /** Values by their names as written (`id`, `xml:lang`), without namespace declarations; no prototype. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Elements and texts in their order; comments and processing instructions are left out. White space alone is one space. */
  readonly content: readonly (XmlElement | string)[];
  /** The line on which it begins. */
  readonly line: number;
}

/** A wanted element, and what stands above it. */
interface XmlPlace {
  /** The path that it was asked for by. */
  path: string;
  /** The elements around it, the root first, with their attributes and without content. */
  ancestors: readonly XmlElement[];
}

/** What stands at the wanted paths of an XML report, in the order of the report. */
export type XmlItem =
  /** A wanted element, whole. */
  | (ReadRecord<XmlElement> & XmlPlace)
  /** An element that was asked for by `…/@` begins: its attributes, without content. */
  | ({ kind: 'open'; value: XmlElement; position: string } & XmlPlace)
  | ReadFault;
