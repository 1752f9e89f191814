import type { Document } from 'bson';
import { BSON, childrenOf, elementsOf, readString, type RawValue } from '../bson/raw.js';
import { readWholeNumber } from '../bson/number.js';
import { rawDocument, toRaw } from '../bson/write.js';
import { CommandError, notSupported } from '../errors.js';
import type { WireRequest } from '../wire.js';

/** The arguments of one command, read from its raw document when asked for. */
export class Command {
  readonly name: string;
  readonly database: string;
  readonly #fields: ReadonlyMap<string, RawValue>;

  constructor(
    body: RawValue,
    readonly sequences: WireRequest['sequences'] = new Map(),
    database?: string,
  ) {
    const elements = elementsOf(body.buf, body.off);
    this.#fields = new Map(elements.map((e) => [e.name, e.value]));
    this.name = elements[0]?.name ?? '';
    this.database = this.string('$db') ?? database ?? 'admin';
  }

  /** An argument, or undefined when it is absent or null. */
  get(name: string): RawValue | undefined {
    const value = this.#fields.get(name);
    return value === undefined || value.type === BSON.null ? undefined : value;
  }

  string(name: string): string | undefined {
    const value = this.get(name);
    return value?.type === BSON.string ? readString(value) : undefined;
  }

  boolean(name: string): boolean {
    const value = this.get(name);
    if (!value) return false;
    return value.type === BSON.bool ? value.buf[value.off] !== 0 : readWholeNumber(value, true) !== 0;
  }

  /** A whole number, or undefined. Throws TypeMismatch for anything else. */
  number(name: string): number | undefined {
    const value = this.get(name);
    if (!value) return undefined;
    const number = readWholeNumber(value, true);
    if (number === undefined) throw new CommandError(14, `BSON field '${this.name}.${name}' is the wrong type, expected a number`);
    return number;
  }

  /** A document argument; an empty document when it is absent. */
  document(name: string): RawValue {
    const value = this.get(name);
    if (!value) return rawDocument(toRaw({}));
    if (value.type !== BSON.object)
      throw new CommandError(14, `BSON field '${this.name}.${name}' is the wrong type, expected type 'object'`);
    return value;
  }

  /** An array argument, or the document sequence of that name. */
  array(name: string): readonly RawValue[] {
    const sequence = this.sequences.get(name);
    if (sequence) return sequence;
    const value = this.get(name);
    if (value?.type !== BSON.array) throw new CommandError(14, `BSON field '${this.name}.${name}' is missing or not an array`);
    return childrenOf(value).map((e) => e.value);
  }

  /** The collection that the command's first argument names, with its database. Throws InvalidNamespace. */
  get namespace(): string {
    const name = this.string(this.name);
    if (name === undefined || name === '') throw new CommandError(73, `Invalid namespace specified '${this.database}.'`);
    return `${this.database}.${name}`;
  }

  /** Refuses an option that would change the result and that the store does not have. */
  refuse(name: string, what: string): void {
    const value = this.get(name);
    if (value && !(value.type === BSON.object && childrenOf(value).length === 0)) throw notSupported(what);
  }
}

/** What a command answers: a document, or raw bytes of one. */
export type Reply = Document | Buffer;
