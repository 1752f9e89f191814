import type { SaxesTagPlain } from 'saxes';
import { isTooLong, type RecordLimits } from '../limits.js';
import type { XmlElement } from './element.js';

type Building = XmlElement & { content: (XmlElement | string)[] };
/** Prefix -> namespace; the default has the empty prefix. */
type Scope = ReadonlyMap<string, string>;

const TOP: Scope = new Map([['xml', 'http://www.w3.org/XML/1998/namespace']]);
const NO_ATTRIBUTES = Object.freeze(Object.create(null) as Record<string, string>);
const MAX_KNOWN_NAMES = 10_000;
/** V8 copies parts of a text that are not longer; longer ones hold the whole text that they are of. */
const LONGEST_COPIED = 12;
/** What is no character of XML 1.0 (section 2.2), surrogates left out: control characters but for tab, line feed, return and those from DEL on. */
const DISALLOWED = /(?![\t\n\r\u007f-\u009f])\p{Cc}|[\ufffe\uffff]/gu;
const SPACE = 0x20;
const BLANK = /^[ \t\r\n]*$/;

/** Makes elements of what a parser tells, with the namespaces of their prefixes. */
export class ElementMaker {
  /** Whether characters were met that XML does not allow: they are replaced. */
  isDirty = false;
  /** What is wrong with the attributes of the element that was opened last. */
  fault: string | undefined;
  /** The elements that are open and being filled. */
  private readonly filling: Building[] = [];
  /** The namespaces of each open element, under those of none. */
  private readonly scopes: Scope[] = [TOP];
  private readonly names = new Map<string, string>();

  constructor(private readonly limits: RecordLimits) {}

  /** Opens an element that is not filled, or the first that is (`fill`). */
  open(tag: SaxesTagPlain, line: number): Building {
    const outer = this.scopes.at(-1) as Scope;
    let declared: Map<string, string> | undefined;
    const { attributes } = tag;
    let count = 0;
    this.fault = undefined;
    for (const name in attributes) {
      const value = attributes[name] as string;
      count++;
      if (isTooLong(value, this.limits)) this.fault = longText(this.limits);
      if (name === 'xmlns' || name.startsWith('xmlns:')) {
        (declared ??= new Map(outer)).set(name.slice(6), this.own(value.trim()));
        delete attributes[name];
      } else if (this.isDirty || value.length > LONGEST_COPIED) attributes[name] = this.own(value);
    }
    if (count > this.limits.maxFields) this.fault = `has an element of more than ${this.limits.maxFields} attributes`;
    const scope = declared ?? outer;
    const colon = tag.name.indexOf(':');
    const namespace = scope.get(colon === -1 ? '' : tag.name.slice(0, colon)) ?? '';
    this.scopes.push(scope);
    return {
      name: this.known(tag.name.slice(colon + 1)),
      namespace,
      attributes: count === 0 ? NO_ATTRIBUTES : attributes,
      content: [],
      line,
    };
  }

  /** Has what follows put into an element that was opened last. */
  fill(element: Building): void {
    this.filling.push(element);
  }

  /** Opens an element in the one that is being filled. */
  openInside(tag: SaxesTagPlain, line: number): XmlElement {
    const element = this.open(tag, line);
    this.filling.at(-1)?.content.push(element);
    this.filling.push(element);
    return element;
  }

  /** Takes a text of the element that is being filled. */
  text(text: string): void {
    const content = this.filling.at(-1)?.content;
    if (content === undefined) return;
    const own = text.charCodeAt(0) <= SPACE && BLANK.test(text) ? ' ' : this.own(text);
    const last = content.at(-1);
    if (typeof last === 'string') content[content.length - 1] = last + own;
    else content.push(own);
  }

  /** Closes the element that was opened last. */
  close(): void {
    this.scopes.pop();
    this.filling.pop();
  }

  /** Forgets all open elements but the outermost `levels`. */
  drop(levels: number): void {
    this.filling.length = 0;
    this.scopes.length = levels + 1;
  }

  /** A name as one text however often it comes. */
  private known(name: string): string {
    const found = this.names.get(name);
    if (found !== undefined) return found;
    const own = this.own(name);
    if (this.names.size < MAX_KNOWN_NAMES) this.names.set(own, own);
    return own;
  }

  /** A text that does not hold the piece of the report that it was cut from. */
  private own(text: string): string {
    const clean = this.isDirty ? text.replace(DISALLOWED, '\uFFFD') : text;
    return clean.length <= LONGEST_COPIED ? clean : ` ${clean}`.slice(1);
  }
}

/** The fault of a record with a text beyond the limit. */
export const longText = ({ maxTextBytes }: RecordLimits): string => `holds a text of more than ${maxTextBytes} bytes`;
