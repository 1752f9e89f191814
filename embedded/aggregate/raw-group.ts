import type { Document } from 'bson';
import { BSON, type RawElement, type RawValue } from '../bson/raw.js';
import { keyOf } from '../bson/key.js';
import { containerOf, documentOf, rawValueOf } from '../bson/write.js';
import { decodeDocument, decodeFields } from '../bson/decode.js';
import { RAW_ACCUMULATORS, type Accumulator } from './accumulate.js';
import { neededFields } from './dependencies.js';
import { evaluate } from './expression-engine.js';
import { plainFieldPath, readerOf, type RawReader } from './raw-value.js';

interface Field {
  readonly name: string;
  readonly create: () => Accumulator;
  readonly read: RawReader;
}

interface Group {
  readonly id: RawValue | undefined;
  readonly accumulators: readonly Accumulator[];
}

/** A $group that runs on raw documents, without making JavaScript objects of them. */
export interface RawGroup {
  add(document: Buffer): void;
  finish(): Buffer[];
}

/** Compiles a $group; undefined when it has an accumulator that only the expression engine knows. */
export function compileRawGroup(spec: Document, variables: Document): RawGroup | undefined {
  const evaluator = evaluatorOf(spec, variables);
  const readId = idReader(spec['_id'], evaluator);
  const fields: Field[] = [];
  for (const [name, value] of Object.entries(spec)) {
    if (name === '_id') continue;
    const field = fieldOf(name, value as Document, evaluator);
    if (!field) return undefined;
    fields.push(field);
  }
  return grouping(readId, fields);
}

function grouping(readId: RawReader, fields: readonly Field[]): RawGroup {
  const groups = new Map<string, Group>();
  return {
    add(document): void {
      const id = readId(document);
      const key = id ? keyOf(id.type, id.buf, id.off, id.end) : '';
      let group = groups.get(key);
      if (!group) groups.set(key, (group = { id, accumulators: fields.map((f) => f.create()) }));
      for (let i = 0; i < fields.length; i++) group.accumulators[i]!.add(fields[i]!.read(document));
    },
    finish(): Buffer[] {
      return [...groups.values()].map(({ id, accumulators }) => {
        const elements: RawElement[] = [{ name: '_id', value: id ?? rawValueOf(null) }];
        accumulators.forEach((accumulator, i) => {
          const value = accumulator.finish();
          if (value) elements.push({ name: fields[i]!.name, value });
        });
        return documentOf(elements);
      });
    },
  };
}

/** Makes readers of expressions; they share the decoding of a document, and of it only the fields that the $group reads. */
type Evaluator = (expression: unknown) => RawReader;

function evaluatorOf(spec: Document, variables: Document): Evaluator {
  const fields = neededFields([{ $group: spec }]);
  let bytes: Buffer | undefined;
  let document: Document = {};
  return (expression) => (buf) => {
    if (buf !== bytes) {
      document = fields ? decodeFields(buf, fields) : decodeDocument(buf);
      bytes = buf;
    }
    const value = evaluate(document, expression, variables);
    return value === undefined ? undefined : rawValueOf(value);
  };
}

/** A missing _id groups with null. */
function idReader(id: unknown, evaluator: Evaluator): RawReader {
  const nothing = rawValueOf(null);
  const plain =
    typeof id === 'object' &&
    id !== null &&
    Object.getPrototypeOf(id) === Object.prototype &&
    !Object.keys(id).some((k) => k.startsWith('$'));
  if (!plain) {
    const read = readerOfExpression(id, evaluator);
    return (document) => read(document) ?? nothing;
  }
  const parts = Object.entries(id).map(([name, expression]) => ({ name, read: readerOfExpression(expression, evaluator) }));
  return (document) => {
    const elements: RawElement[] = [];
    for (const { name, read } of parts) {
      const value = read(document);
      if (value) elements.push({ name, value });
    }
    return containerOf(BSON.object, elements);
  };
}

function readerOfExpression(expression: unknown, evaluator: Evaluator): RawReader {
  const path = plainFieldPath(expression);
  if (path) return readerOf(path);
  const constant =
    typeof expression === 'number' ||
    typeof expression === 'boolean' ||
    expression === null ||
    (typeof expression === 'string' && !expression.startsWith('$'));
  if (!constant) return evaluator(expression);
  const value = rawValueOf(expression);
  return () => value;
}

function fieldOf(name: string, spec: Document, evaluator: Evaluator): Field | undefined {
  const [operator] = Object.keys(spec);
  if (operator === undefined || name.includes('.')) return undefined;
  if (operator === '$count') {
    const one = rawValueOf(1);
    return { name, create: RAW_ACCUMULATORS.get('$sum')!, read: () => one };
  }
  const create = RAW_ACCUMULATORS.get(operator);
  return create && { name, create, read: readerOfExpression(spec[operator], evaluator) };
}

/** Whether a $group only counts documents: the name of the count and the _id, or undefined. */
export function countingGroup(spec: Document): { name: string; id: RawValue } | undefined {
  const [other, ...more] = Object.keys(spec).filter((k) => k !== '_id');
  const id: unknown = spec['_id'];
  if (other === undefined || more.length > 0 || (typeof id !== 'number' && id !== null)) return undefined;
  const field = spec[other] as Document;
  const counts = field['$sum'] === 1 || '$count' in field;
  return counts && !other.includes('.') ? { name: other, id: rawValueOf(id) } : undefined;
}
