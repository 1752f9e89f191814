import { celError, isCelList, isCelMap, type CelError, type CelList, type CelMap, type CelValue } from '@bufbuild/cel';
import { isLeftOpen, type OpenPaths } from '../../schema/unknown-paths.js';
import { resolveText } from './reference.js';

const MAP = Symbol.for('@bufbuild/cel/map');
const LIST = Symbol.for('@bufbuild/cel/list');

type Value = CelValue | CelError;
type Plain = Readonly<Record<string, unknown>>;

const NONE: OpenPaths = new Set();

const isPlain = (value: unknown): value is Plain => typeof value === 'object' && value !== null && !Array.isArray(value);
const unresolved = (what: string): CelError => celError(`unresolved reference: ${what.length > 120 ? `${what.slice(0, 117)}...` : what}`);

/** A configuration, or a block of it, as CEL reads it: each attribute is converted once, when it is first read. */
export class BlockValue {
  private readonly known = new Map<string, { has: boolean | CelError; value: Value | undefined }>();

  constructor(
    /** As the source wrote it. */
    readonly source: Plain,
    private readonly path = '',
    private readonly open: OpenPaths = NONE,
  ) {}

  get size(): number {
    return Object.keys(this.source).length;
  }

  get(key: unknown): Value | undefined {
    return typeof key === 'string' ? this.attribute(key).value : undefined;
  }

  /** True, false, or an error where that is not known: CEL passes it on as the value of `has()`. */
  has(key: unknown): boolean {
    return (typeof key === 'string' ? this.attribute(key).has : false) as boolean;
  }

  keys(): IterableIterator<string> {
    return Object.keys(this.source)[Symbol.iterator]();
  }

  *values(): Generator<Value> {
    for (const key of Object.keys(this.source)) {
      const { value } = this.attribute(key);
      if (value !== undefined) yield value;
    }
  }

  *entries(): Generator<[string, Value]> {
    for (const key of Object.keys(this.source)) {
      const { value } = this.attribute(key);
      if (value !== undefined) yield [key, value];
    }
  }

  [Symbol.iterator](): Generator<[string, Value]> {
    return this.entries();
  }

  forEach(callback: (value: Value, key: string) => void): void {
    for (const [key, value] of this.entries()) callback(value, key);
  }

  private attribute(key: string): { has: boolean | CelError; value: Value | undefined } {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const read = this.read(key);
    this.known.set(key, read);
    return read;
  }

  private read(key: string): { has: boolean | CelError; value: Value | undefined } {
    const path = this.path === '' ? key : `${this.path}.${key}`;
    const raw = Object.hasOwn(this.source, key) ? this.source[key] : undefined;
    if (raw === undefined || raw === null) {
      if (raw === null ? !this.open.has(path) : !isLeftOpen(this.open, path)) return { has: false, value: undefined };
      const error = unresolved(path);
      return { has: error, value: error };
    }
    if (typeof raw === 'string' && raw.includes('${')) {
      const resolved = resolveText(raw);
      if (resolved.kind !== 'value') {
        const error = unresolved(raw);
        return { has: resolved.kind === 'set' ? true : error, value: error };
      }
      return present(toCelValue(resolved.value, path, this.open));
    }
    return present(toCelValue(raw, path, this.open));
  }
}

function present(value: Value | undefined): { has: boolean; value: Value | undefined } {
  return { has: value !== undefined, value };
}

/** A list; of one block also that block's map, because Terraform writes a single block as a list of one. */
export class ListValue {
  private items: Value[] | undefined;

  constructor(
    readonly source: readonly unknown[],
    private readonly path: string,
    private readonly open: OpenPaths,
  ) {}

  get size(): number {
    return this.elements().length;
  }

  get(index: unknown): Value | undefined {
    return this.elements()[Number(index)];
  }

  values(): IterableIterator<Value> {
    return this.elements()[Symbol.iterator]();
  }

  [Symbol.iterator](): IterableIterator<Value> {
    return this.values();
  }

  protected elements(): Value[] {
    this.items ??= this.source.flatMap((item, i) => {
      const value = elementValue(item, `${this.path}[${i}]`, this.open);
      return value === undefined ? [] : [value];
    });
    return this.items;
  }
}

class SingleBlockValue extends ListValue {
  private get block(): BlockValue {
    return this.elements()[0] as unknown as BlockValue;
  }

  override get(key: unknown): Value | undefined {
    return typeof key === 'string' ? this.block.get(key) : super.get(key);
  }

  has(key: unknown): boolean {
    return this.block.has(key);
  }

  /** What a macro goes through: the list's elements, as with any list. */
  keys(): IterableIterator<Value> {
    return this.values();
  }
}

/** A map of values that are ready for CEL. */
export class RecordValue {
  constructor(
    private readonly fields: Readonly<Record<string, Value>>,
    /** What it was made of. */
    readonly source: unknown,
  ) {}

  get size(): number {
    return Object.keys(this.fields).length;
  }

  get(key: unknown): Value | undefined {
    return typeof key === 'string' && Object.hasOwn(this.fields, key) ? this.fields[key] : undefined;
  }

  has(key: unknown): boolean {
    return this.get(key) !== undefined;
  }

  keys(): IterableIterator<string> {
    return Object.keys(this.fields)[Symbol.iterator]();
  }
}

/** A list of values that are ready for CEL; an error among them is met when it is read. */
export class ReadyList extends ListValue {
  constructor(private readonly ready: Value[]) {
    super([], '', NONE);
  }

  protected override elements(): Value[] {
    return this.ready;
  }
}

for (const type of [BlockValue, RecordValue, SingleBlockValue]) Object.defineProperty(type.prototype, MAP, { value: {} });
for (const type of [ListValue]) Object.defineProperty(type.prototype, LIST, { value: {} });

function elementValue(item: unknown, path: string, open: OpenPaths): Value | undefined {
  if (typeof item === 'string' && item.includes('${')) {
    const resolved = resolveText(item);
    return resolved.kind === 'value' ? toCelValue(resolved.value, path, open) : unresolved(item);
  }
  return item === null || item === undefined ? undefined : toCelValue(item, path, open);
}

/**
 * A value of a configuration as CEL reads it. `null`, `""` and `[]` are absent (undefined).
 * @param path where it stands, in the form of `open`
 */
export function toCelValue(value: unknown, path = '', open: OpenPaths = NONE): Value | undefined {
  if (typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint') return value;
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (Array.isArray(value)) {
    if (value.length === 0) return undefined;
    const type = value.length === 1 && isPlain(value[0]) ? SingleBlockValue : ListValue;
    return new type(value, path, open) as unknown as CelList;
  }
  return isPlain(value) ? (new BlockValue(value, path, open) as unknown as CelMap) : undefined;
}

/** A value of CEL as plain JavaScript: what comes from a configuration as its source wrote it, unresolved references `${...}` included. */
export function toPlain(value: unknown): unknown {
  if (value instanceof ReadyList) return [...value].map(toPlain);
  if (value instanceof ListValue || value instanceof BlockValue || value instanceof RecordValue) return value.source;
  if (isCelList(value)) return [...value].map(toPlain);
  if (isCelMap(value)) return Object.fromEntries([...value.entries()].map(([key, inner]) => [String(key), toPlain(inner)]));
  return typeof value === 'bigint' ? Number(value) : value;
}
