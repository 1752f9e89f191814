import type { PathNode, PathRoots } from './paths.js';
import type { JsonItem } from './item.js';
import type { RecordLimits } from '../limits.js';
import { ValueBalance } from './balance.js';
import { ValueReader } from './value.js';
import { ByteWindow } from './window.js';
import { QUOTE, COMMA, COLON, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT } from './bytes.js';

/** An open container on the way to the wanted values. */
interface Frame {
  readonly node: PathNode;
  readonly array: boolean;
  readonly position: string;
  index: number;
  /** The member that is read, where a `*` stands for its name. */
  name: string | undefined;
}

type State = 'document' | 'value' | 'key' | 'colon' | 'after' | 'inside' | 'end';
type Step = JsonItem | 'more' | undefined;

/** RFC 7464 puts this before each text of a sequence. */
const RECORD_SEPARATOR = 0x1e;
const MAX_KEY_BYTES = 64 * 1024;

/** Walks a JSON text that comes in pieces and gives the values at the wanted paths, one at a time. No waiting, no recursion. */
export class JsonScan {
  readonly window = new ByteWindow();
  /** How the report begins; undefined while nothing but space was seen. */
  root: 'array' | 'object' | 'other' | undefined;
  private state: State = 'document';
  private readonly frames: Frame[] = [];
  private readonly values: ValueReader;
  private readonly keys = new ValueBalance();
  private node: PathNode | undefined;
  private position = '$';
  private line = 1;
  private lineOffset = 0;

  constructor(
    private readonly roots: PathRoots,
    limits: RecordLimits,
  ) {
    this.values = new ValueReader(this.window, limits);
  }

  /** The next item; undefined when more bytes are needed or, once the window has ended, when all items are out. */
  next(): JsonItem | undefined {
    while (this.state !== 'end') {
      const step = this.step();
      if (step === 'more') return this.window.ended ? this.atEnd() : undefined;
      if (step !== undefined) return step;
    }
    return undefined;
  }

  private step(): Step {
    if (this.state === 'inside') return this.readValue();
    const { window } = this;
    const passed = window.at;
    const byte = window.next();
    if (this.frames.length === 0) this.line += window.lines(passed, window.at);
    if (byte === -1) return 'more';
    switch (this.state) {
      case 'document':
        return this.startDocument(byte);
      case 'key':
        return this.readKey(byte);
      case 'colon':
        if (byte !== COLON) return this.stop('a colon');
        window.at++;
        this.state = 'value';
        return undefined;
      case 'value':
        return this.startMember(byte);
      default:
        return this.afterValue(byte);
    }
  }

  private startDocument(byte: number): Step {
    if (byte === RECORD_SEPARATOR) {
      this.window.at++;
      return undefined;
    }
    const isArray = byte === OPEN_ARRAY;
    const isContainer = isArray || byte === OPEN_OBJECT;
    const isFirst = this.root === undefined;
    this.root ??= isArray ? 'array' : isContainer ? 'object' : 'other';
    if (isFirst && !isContainer) return this.stop('an object or an array');
    const { leaf } = this.roots.object;
    this.position = leaf === undefined || isArray ? '$' : `line ${this.line}`;
    if (!isFirst && leaf === undefined) {
      this.state = 'end';
      return {
        kind: 'broken',
        path: '$',
        position: '$',
        reason: 'there is more after the end of the report',
        offset: this.window.offset(),
      };
    }
    this.node = isArray ? this.roots.array : this.roots.object;
    return this.startValue(byte);
  }

  private startMember(byte: number): Step {
    const frame = this.frames.at(-1) as Frame;
    if (frame.array) {
      if (byte === CLOSE_ARRAY || byte === COMMA || byte === CLOSE_OBJECT || byte === COLON) return this.afterValue(byte);
      this.node = frame.node.elements;
      this.position = `${frame.position}[${frame.index}]`;
    } else if (byte === COMMA || byte === CLOSE_OBJECT) return this.afterValue(byte);
    return this.startValue(byte);
  }

  private startValue(byte: number): Step {
    const { node, position, window } = this;
    if (node !== undefined && node.leaf === undefined && canEnter(node, byte)) {
      const isArray = byte === OPEN_ARRAY;
      window.at++;
      this.frames.push({ node, array: isArray, position: position === '$' ? '' : position, index: 0, name: undefined });
      this.state = isArray ? 'value' : 'key';
      return isArray ? { kind: 'array', path: node.path, position } : undefined;
    }
    const isInner = node !== undefined && node.leaf === undefined;
    const isRoot = this.frames.length === 0;
    this.values.begin(node, isRoot || this.frames.at(-1)?.array === true, isRoot);
    this.lineOffset = window.offset();
    this.state = 'inside';
    if (!isInner || isRoot || byte === 0x6e) return undefined;
    const expected = node.elements === undefined ? 'an object' : 'an array';
    return { kind: 'broken', path: node.path, position, reason: `expected ${expected}`, offset: window.offset() };
  }

  private readValue(): Step {
    const { node, position } = this;
    const end = this.values.read();
    if (end.kind === 'more') return 'more';
    const isRoot = this.frames.length === 0;
    if (isRoot && end.kind !== 'skipped')
      this.line += this.window.lines(this.window.at - (this.window.offset() - this.lineOffset), this.window.at);
    this.state = isRoot ? 'document' : 'after';
    if (end.kind === 'skipped') return undefined;
    const path = node?.leaf ?? '$';
    if (end.kind === 'value') return { kind: 'value', path, ...this.around(), position, value: end.value, offset: end.offset };
    const frame = this.frames.at(-1);
    if (frame?.array === true) frame.index++;
    if (end.again && frame !== undefined) this.state = 'value';
    return { kind: 'broken', path, position, reason: end.reason, offset: end.offset };
  }

  private readKey(byte: number): Step {
    const { window } = this;
    if (byte === CLOSE_OBJECT) return this.leave();
    if (byte === COMMA) {
      window.at++;
      return undefined;
    }
    if (byte !== QUOTE) return this.stop('a member name');
    const stop = this.keys.start(window.bytes, window.at).scan(window.bytes, window.at, window.end);
    if (stop === -1) return window.end - window.at > MAX_KEY_BYTES ? this.stop('a shorter member name') : 'more';
    const frame = this.frames.at(-1) as Frame;
    let key: string;
    try {
      key = String(JSON.parse(window.text(window.at, stop)));
    } catch {
      return this.stop('a member name');
    }
    window.at = stop;
    const named = frame.node.members?.get(key);
    this.node = named ?? frame.node.others;
    frame.name = named === undefined ? key : undefined;
    this.position = frame.position === '' ? key : `${frame.position}.${key}`;
    this.state = 'colon';
    return undefined;
  }

  private afterValue(byte: number): Step {
    const frame = this.frames.at(-1) as Frame;
    if (byte === COMMA) {
      this.window.at++;
      // A damaged element was counted at once, whatever remains of it.
      if (this.values.damage === 'none') frame.index++;
      this.state = frame.array ? 'value' : 'key';
      return undefined;
    }
    if (byte === (frame.array ? CLOSE_ARRAY : CLOSE_OBJECT)) return this.leave();
    if (!frame.array) return this.stop('a comma or the end of the object');
    if (byte === CLOSE_OBJECT || byte === COLON) return this.skipStray();
    if (this.values.damage === 'none') frame.index++;
    this.state = 'value';
    return undefined;
  }

  /** Between the elements of an array stands what belongs to none: the rest of a damaged one, or a bracket too many. */
  private skipStray(): Step {
    const { window, node, position } = this;
    const isNew = this.values.damage === 'none';
    const item: JsonItem = {
      kind: 'broken',
      path: node?.leaf ?? '$',
      position,
      reason: 'the record is followed by a stray bracket or colon',
      offset: window.offset(),
    };
    window.at++;
    this.values.drop();
    if (!isNew) return undefined;
    (this.frames.at(-1) as Frame).index++;
    return item;
  }

  private leave(): undefined {
    this.window.at++;
    this.frames.pop();
    this.values.damage = 'none';
    this.state = this.frames.length === 0 ? 'document' : 'after';
  }

  private atEnd(): JsonItem | undefined {
    const isWhole = this.state === 'document';
    this.state = 'end';
    if (isWhole) return undefined;
    return {
      kind: 'truncated',
      position: this.position,
      reason: `the report ends in the middle of ${this.position}`,
      offset: this.window.offset(),
    };
  }

  private stop(expected: string): JsonItem {
    const { window } = this;
    const found = JSON.stringify(window.text(window.at, window.at + 12).replace(/\s.*$/s, ''));
    const offset = window.offset();
    this.state = 'end';
    return { kind: 'truncated', position: this.position, reason: `expected ${expected} at byte ${offset}, found ${found}`, offset };
  }

  private around(): { indices: number[]; names: string[] } {
    return {
      indices: this.frames.flatMap(({ array, index }) => (array ? index : [])),
      names: this.frames.flatMap(({ name }) => name ?? []),
    };
  }
}

function canEnter(node: PathNode, byte: number): boolean {
  return (byte === OPEN_ARRAY && node.elements !== undefined) || (byte === OPEN_OBJECT && (node.members ?? node.others) !== undefined);
}
