import { ObjectId } from 'bson';
import type { RawValue } from '../bson/raw.js';
import { BSON, childrenOf, elementsOf, getField, type RawElement, readString } from '../bson/raw.js';
import { decodeDocument, decodeValue } from '../bson/decode.js';
import { documentOf, rawDocument, rawValueOf, toRaw } from '../bson/write.js';
import { runStages } from '../aggregate/run-stages.js';
import { CommandError } from '../errors.js';
import { conjunctsOf, type Filter } from '../query/ast.js';
import { UPDATE_OPERATORS, type UpdateOperator } from './operators.js';
import { resolvePath, type Positions } from './positional.js';
import { getAt, ObjectNode, rawOf, setAt, unsetAt } from './tree.js';

/** Makes a document's new bytes; `inserting` when an upsert makes it. Top-level fields that it changes go to `changed` ('*': all). */
export type Updater = (bytes: Buffer, inserting: boolean, changed: Set<string>) => Buffer;

interface PathUpdate {
  readonly operator: string;
  readonly apply: UpdateOperator | undefined;
  readonly path: readonly string[];
  readonly text: string;
  readonly argument: RawValue;
  /** Where the argument lies as an element named as the path's last part. */
  readonly start: number | undefined;
}

const ID = Buffer.from('_id');
const PIPELINE_STAGES = new Set(['$set', '$addFields', '$unset', '$project', '$replaceRoot', '$replaceWith']);

/** A compiled update. */
export interface CompiledUpdate {
  readonly run: Updater;
  /** It is a whole document in place of another. */
  readonly replacement: boolean;
  /** It may give an inserted document its _id. */
  readonly mayMakeId: boolean;
}

/** Compiles an update: operators, a pipeline, or a replacement document. Throws for unknown operators and conflicting paths. */
export function compileUpdate(update: RawValue, positions: Positions): CompiledUpdate {
  if (update.type === BSON.array) return { run: pipelineUpdate(update), replacement: false, mayMakeId: true };
  if (update.type !== BSON.object) throw new CommandError(9, 'Update argument must be either an object or an array');
  const elements = childrenOf(update);
  if (!elements[0]?.name.startsWith('$')) {
    const dollar = elements.find((e) => e.name.startsWith('$'));
    if (dollar)
      throw new CommandError(
        52,
        `The dollar ($) prefixed field '${dollar.name}' is not allowed in the context of an update's replacement document.`,
      );
    return { run: (bytes, _inserting, changed) => replacementOf(bytes, elements, changed), replacement: true, mayMakeId: true };
  }
  const updates = parseOperators(elements);
  return {
    run: (bytes, inserting, changed) => applyOperators(bytes, updates, inserting, positions, changed),
    replacement: false,
    mayMakeId: updates.some((u) => u.path[0] === '_id'),
  };
}

function replacementOf(bytes: Buffer, elements: readonly RawElement[], changed: Set<string>): Buffer {
  changed.add('*');
  const id = getField(bytes, 0, ID);
  const own = elements.find((e) => e.name === '_id');
  const rest = elements.filter((e) => e.name !== '_id');
  const value = own?.value ?? id;
  const replaced = documentOf(value ? [{ name: '_id', value }, ...rest] : rest);
  assertSameId(id, getField(replaced, 0, ID));
  return replaced.equals(bytes) ? bytes : replaced;
}

function assertSameId(before: RawValue | undefined, after: RawValue | undefined): void {
  if (before && (!after || after.type !== before.type || !after.bytes.equals(before.bytes))) {
    throw new CommandError(66, "Performing an update on the path '_id' would modify the immutable field '_id'");
  }
}

function parseOperators(elements: readonly RawElement[]): PathUpdate[] {
  const updates: PathUpdate[] = [];
  for (const { name: operator, value } of elements) {
    const apply = UPDATE_OPERATORS.get(operator);
    if (!apply && operator !== '$rename')
      throw new CommandError(
        9,
        `Unknown modifier: ${operator}. Expected a valid update modifier or pipeline-style update specified as an array`,
      );
    if (value.type !== BSON.object)
      throw new CommandError(9, `Modifiers operate on fields but we found a non-object argument for ${operator}`);
    for (const { name: text, value: argument, start } of childrenOf(value)) {
      const path = text.includes('.') ? text.split('.') : [text];
      if (text === '' || path.includes(''))
        throw new CommandError(56, `The update path '${text}' contains an empty field name, which is not allowed.`);
      updates.push({ operator, apply, path, text, argument, start: path.length === 1 ? start : undefined });
      if (operator === '$rename')
        updates.push({
          operator: '$rename to',
          apply: undefined,
          path: renameTarget(argument),
          text: readString(argument),
          argument,
          start: undefined,
        });
    }
  }
  updates.sort((a, b) => comparePaths(a.path, b.path));
  assertNoConflict(updates);
  return updates;
}

/** Paths in lexicographic order part by part: a path comes before those below it, and new fields are added in this order. */
function comparePaths(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i]! < b[i]! ? -1 : 1;
  return a.length - b.length;
}

function assertNoConflict(updates: readonly PathUpdate[]): void {
  const seen = new Set<string>();
  for (const { text, path } of updates) {
    let prefix = '';
    for (const part of path) {
      prefix = prefix === '' ? part : `${prefix}.${part}`;
      if (seen.has(prefix)) throw new CommandError(40, `Updating the path '${text}' would create a conflict at '${prefix}'`);
    }
    seen.add(text);
  }
}

function renameTarget(argument: RawValue): string[] {
  if (argument.type !== BSON.string) throw new CommandError(2, "The 'to' field for $rename must be a string");
  return readString(argument).split('.');
}

function applyOperators(
  bytes: Buffer,
  updates: readonly PathUpdate[],
  inserting: boolean,
  positions: Positions,
  changed: Set<string>,
): Buffer {
  const root = new ObjectNode(rawDocument(bytes));
  for (const { operator, apply, path, text, argument, start } of updates) {
    if (operator === '$setOnInsert' && !inserting) continue;
    if (operator === '$rename') {
      const value = getAt(root, path);
      if (!value) continue;
      unsetAt(root, path);
      setAt(root, renameTarget(argument), value);
      changed.add(path[0]!).add(renameTarget(argument)[0]!);
      continue;
    }
    if (!apply) continue;
    for (const resolved of text.includes('$') ? resolvePath(root, path, positions) : [path]) {
      const current = getAt(root, resolved);
      const change = apply(current, argument, text);
      if (change === undefined || (change !== 'unset' && current && sameBytes(current, change))) continue;
      changed.add(resolved[0]!);
      if (change === 'unset') unsetAt(root, resolved);
      else setAt(root, resolved, change, change === argument ? start : undefined);
    }
  }
  if (changed.size === 0) return bytes;
  const updated = rawOf(root).bytes;
  if (changed.has('_id')) assertSameId(getField(bytes, 0, ID), getField(updated, 0, ID));
  return updated;
}

function sameBytes(a: RawValue, b: RawValue): boolean {
  const length = a.end - a.off;
  if (a.type !== b.type || length !== b.end - b.off) return false;
  if (length > 64) return a.bytes.equals(b.bytes);
  for (let i = 0; i < length; i++) if (a.buf[a.off + i] !== b.buf[b.off + i]) return false;
  return true;
}

function pipelineUpdate(update: RawValue): Updater {
  const stages = childrenOf(update).map((e) => decodeValue(e.value) as Record<string, unknown>);
  for (const stage of stages) {
    const name = Object.keys(stage)[0] ?? '';
    if (!PIPELINE_STAGES.has(name)) throw new CommandError(72, `${name} is not allowed to be used within an update`);
  }
  return (bytes, _inserting, changed) => {
    changed.add('*');
    const [updated] = runStages([decodeDocument(bytes)], stages);
    const id = getField(bytes, 0, ID);
    const result = elementsOf(toRaw(updated ?? {}));
    const own = result.find((e) => e.name === '_id');
    const raw = documentOf([...(own ? [own] : id ? [{ name: '_id', value: id }] : []), ...result.filter((e) => e.name !== '_id')]);
    assertSameId(id, getField(raw, 0, ID));
    return raw.equals(bytes) ? bytes : raw;
  };
}

/** The document that an upsert starts from: the fields that the filter holds equal to one value. */
export function upsertBase(filter: Filter): Buffer {
  const root = new ObjectNode(rawDocument(toRaw({})));
  for (const condition of conjunctsOf(filter)) {
    const value =
      condition.kind === 'compare' && condition.operator === '$eq'
        ? condition.value
        : condition.kind === 'in' && condition.values.length === 1
          ? condition.values[0]
          : undefined;
    if (!value || !('path' in condition)) continue;
    const path = condition.path.text.split('.');
    if (getAt(root, path)) throw new CommandError(54, `cannot infer query fields to set, path '${condition.path.text}' is matched twice`);
    setAt(root, path, value);
  }
  return rawOf(root).bytes;
}

/** A document with its _id first; a new ObjectId when it has none. */
export function withId(bytes: Buffer): Buffer {
  if (bytes[4] !== 0 && bytes[5] === 0x5f && bytes[6] === 0x69 && bytes[7] === 0x64 && bytes[8] === 0) return bytes;
  const elements = elementsOf(bytes);
  const id = elements.find((e) => e.name === '_id')?.value ?? rawValueOf(new ObjectId());
  return documentOf([{ name: '_id', value: id }, ...elements.filter((e) => e.name !== '_id')]);
}
