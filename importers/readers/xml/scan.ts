import type { SaxesTagPlain } from 'saxes';
import { isTooLong, type RecordLimits } from '../limits.js';
import { ElementMaker, longText } from './element-maker.js';
import { XmlParser } from './parser.js';
import type { XmlElement, XmlItem } from './element.js';
import type { PathNode } from './paths.js';

/** An open element on the way to wanted ones. */
interface Frame {
  readonly node: PathNode;
  readonly position: string;
  /** It and what is around it, the root first. */
  readonly lineage: readonly XmlElement[];
  /** How many elements of a name stand in it so far. */
  readonly counts: Map<string, number>;
}

/** The wanted element that is being read. */
interface OpenRecord {
  readonly path: string;
  readonly position: string;
  readonly element: XmlElement;
  /** Where it starts, in characters. */
  readonly start: number;
  depth: number;
  fault: string | undefined;
}

/** Elements that may be open at a time. */
const MAX_OPEN = 100_000;

// Tools copy what programs print into their reports as it is. Such a character shows as U+FFFD; a reference to it stays as it is written.
const DISALLOWED = 'disallowed character.';
const HARMLESS = new Set([
  'malformed character entity.',
  'the string "]]>" is disallowed in char data.',
  'an XML declaration must be at the start of the document.',
  'the XML declaration must appear at the start of the document.',
  'version number must match /^1\\.[0-9]+$/.',
]);
const BAD_ENTITIES = new Set(['undefined entity.', 'disallowed character in entity name.', 'empty entity name.']);
const BAD_ENTITY = 'refers to an entity that XML does not define';

/** Ends the parser's work on a report that cannot be read further. */
class Stop extends Error {}

/**
 * Walks an XML text that comes in pieces and gives the wanted elements one at a time. A fault that leaves no doubt about what stands where
 * breaks the element that it is in; any other stops the reading.
 */
export class XmlScan {
  /** What the last piece brought. */
  readonly items: XmlItem[] = [];
  /** The root's local name; undefined before it. */
  root: string | undefined;
  /** Why reading has stopped, and where, once it has. */
  stopped: { reason: string; position: string } | undefined;
  private readonly parser = new XmlParser((message) => this.takeFault(message));
  private readonly elements: ElementMaker;
  private readonly frames: Frame[] = [];
  private record: OpenRecord | undefined;
  /** How many elements are open that are not wanted and lead to none. */
  private skipped = 0;
  private inTag = false;
  private tagLine = 1;
  private tagFault: string | undefined;
  /** Where the last token ended, and the last record. */
  private tokenEnd = 0;
  private recordEnd = -1;
  private isTorn = false;

  constructor(
    private readonly top: PathNode,
    private readonly limits: RecordLimits,
  ) {
    this.elements = new ElementMaker(limits);
    const { parser } = this;
    parser.on('doctype', (doctype) => this.takeDoctype(doctype));
    parser.on('opentagstart', () => this.takeTagStart());
    parser.on('opentag', (tag) => this.takeOpen(tag));
    parser.on('closetag', () => this.takeClose());
    parser.on('cdata', (text) => this.takeText(text));
    parser.on('comment', () => this.endToken());
    parser.on('processinginstruction', () => this.endToken());
  }

  /** Takes the next piece of the text; `items` then holds what it brought. Does nothing once reading has stopped. */
  take(piece: string): void {
    this.items.length = 0;
    if (this.stopped !== undefined) return;
    try {
      this.parser.write(piece);
      this.bound();
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      this.stopped = { reason: error.message, position: this.place };
    }
  }

  /** Where reading is: the innermost element that is wanted or leads to one. */
  get place(): string {
    return `${this.record?.position ?? this.frames.at(-1)?.position ?? '/'} (line ${this.parser.line})`;
  }

  /** Whether the root was read to its end. */
  get isWhole(): boolean {
    return !this.isTorn && this.root !== undefined && this.frames.length === 0 && this.skipped === 0 && this.record === undefined;
  }

  private takeFault(message: string): void {
    if (HARMLESS.has(message)) return;
    if (message === DISALLOWED && this.parser.faultyCharacter !== '<') this.elements.isDirty = true;
    else if (BAD_ENTITIES.has(message) && !this.parser.entityName.includes('<')) this.spoil(BAD_ENTITY);
    else if (message.startsWith('duplicate attribute')) this.spoil(`has a ${message.slice(0, -1)}`);
    else {
      // what has ended with this very tag has not ended rightly
      if (this.recordEnd === this.parser.position) this.items.pop();
      this.isTorn = message === 'unexpected close tag.';
      throw new Stop(message.replace(/\.$/, ''));
    }
  }

  /** Notes what is wrong with the tag that is being read, else with the record. */
  private spoil(fault: string): void {
    if (this.inTag) this.tagFault ??= fault;
    else this.breakRecord(fault);
  }

  private breakRecord(fault: string): void {
    if (this.record === undefined) return;
    this.record.fault ??= fault;
    this.elements.drop(this.frames.length);
  }

  /** Keeps what the parser holds of an unfinished token within the limits. */
  private bound(): void {
    const { parser, record, limits } = this;
    const length = parser.position - this.tokenEnd;
    if (record !== undefined && parser.position - record.start > limits.maxRecordBytes) this.breakRecord(this.largeRecord);
    if (parser.isInLongName) throw new Stop('a name is too long');
    if (length <= limits.maxTextBytes) return;
    if (parser.heldText > limits.maxTextBytes) {
      if (this.root === undefined) throw new Stop('there is no element');
      this.spoil(longText(this.limits));
      parser.dropText();
    }
    if (this.inTag && (length > limits.maxRecordBytes || parser.heldAttributes > limits.maxFields)) throw new Stop('a tag is too long');
  }

  private endToken(): void {
    this.tokenEnd = this.parser.position;
  }

  private takeDoctype(doctype: string): void {
    this.endToken();
    if (/<!ENTITY/i.test(doctype)) throw new Stop('the report declares entities of its own, which are not read');
  }

  private takeTagStart(): void {
    this.endToken();
    this.inTag = true;
    this.tagLine = this.parser.line;
  }

  private takeOpen(tag: SaxesTagPlain): void {
    this.endToken();
    this.inTag = false;
    const fault = this.tagFault;
    this.tagFault = undefined;
    const { record } = this;
    if (this.skipped + (record?.depth ?? 0) > MAX_OPEN) throw new Stop('elements are nested too deep');
    if (this.skipped > 0) this.skipped++;
    else if (record === undefined) this.openOutside(tag, fault);
    else {
      record.depth++;
      if (fault !== undefined) this.breakRecord(fault);
      if (record.depth > this.limits.maxDepth) this.breakRecord(`is nested deeper than ${this.limits.maxDepth} levels`);
      if (record.fault === undefined) this.elements.openInside(tag, this.tagLine);
      if (record.fault === undefined && this.elements.fault !== undefined) this.breakRecord(this.elements.fault);
    }
  }

  private openOutside(tag: SaxesTagPlain, fault: string | undefined): void {
    const parent = this.frames.at(-1);
    const local = tag.name.slice(tag.name.indexOf(':') + 1);
    const isRoot = this.root === undefined;
    this.root ??= local;
    const node = (parent?.node ?? this.top).child(local);
    if (node === undefined) {
      this.skipped = 1;
      return;
    }
    // each open element knows all that is around it
    if (this.frames.length >= this.limits.maxDepth) throw new Stop('elements are nested too deep');
    const element = this.elements.open(tag, this.tagLine);
    const { name, line } = element;
    const count = (parent?.counts.get(name) ?? 0) + 1;
    parent?.counts.set(name, count);
    const position = isRoot ? `/${name}` : `${parent?.position ?? ''}/${name}[${count}]`;
    const told = { position: `${position} (line ${line})`, value: element, ancestors: parent?.lineage ?? [] };
    if (node.open !== undefined) this.items.push({ kind: 'open', path: node.open, ...told });
    if (node.leaf === undefined) {
      if (fault !== undefined) throw new Stop(`the element ${fault}`);
      this.frames.push({ node, position, lineage: [...(parent?.lineage ?? []), element], counts: new Map() });
      return;
    }
    const start = this.parser.position;
    this.elements.fill(element);
    this.record = { path: node.leaf, position, element, start, depth: 1, fault: undefined };
    this.parser.on('text', (text) => this.takeText(text));
    const wrong = fault ?? this.elements.fault;
    if (wrong !== undefined) this.breakRecord(wrong);
  }

  private takeText(text: string): void {
    this.endToken();
    const { record } = this;
    if (record === undefined || record.fault !== undefined) return;
    if (isTooLong(text, this.limits)) this.breakRecord(longText(this.limits));
    else this.elements.text(text);
  }

  private takeClose(): void {
    this.endToken();
    const { record } = this;
    if (this.skipped > 0) this.skipped--;
    else if (record === undefined) {
      this.frames.pop();
      this.elements.close();
    } else {
      record.depth--;
      if (record.fault === undefined) this.elements.close();
      if (record.depth === 0) this.endRecord(record);
    }
  }

  private endRecord({ path, position, element, start, fault }: OpenRecord): void {
    this.record = undefined;
    // nothing is gathered here: what is pending when the handler goes would stand before the next text
    this.parser.off('text');
    this.recordEnd = this.parser.position;
    this.elements.isDirty = false;
    const { maxRecordBytes } = this.limits;
    const length = this.recordEnd - start;
    // a character is one to three bytes: they are counted where it matters
    const isLarge = length > maxRecordBytes || (length * 3 > maxRecordBytes && fault === undefined && sizeOf(element) > maxRecordBytes);
    const reason = fault ?? (isLarge ? this.largeRecord : undefined);
    const at = `${position} (line ${element.line})`;
    if (reason !== undefined) this.items.push({ kind: 'broken', position: at, reason: `the record ${reason}` });
    else this.items.push({ kind: 'value', path, position: at, value: element, ancestors: this.frames.at(-1)?.lineage ?? [] });
  }

  private get largeRecord(): string {
    return `is larger than ${this.limits.maxRecordBytes} bytes`;
  }
}

/** Bytes of the texts of an element and all in it. */
function sizeOf({ attributes, content }: XmlElement): number {
  const inAttributes = Object.values(attributes).reduce((sum, value) => sum + Buffer.byteLength(value), 0);
  return content.reduce((sum, part) => sum + (typeof part === 'string' ? Buffer.byteLength(part) : sizeOf(part)), inAttributes);
}
