import { asObject, member, objectAt, objectsAt, textAt, type JsonObject } from '../../readers/json/fields.js';
import { resolved } from './references.js';

/** What a schema describes, as far as two descriptions are compared: names and types. */
export type Shape = string | readonly [Shape] | { readonly [name: string]: Shape };

const MOST_LEVELS = 6;
const MOST_MEMBERS = 500;

/** Reads shapes of a document's schemas, those of one operation to a bound together. */
export class Shapes {
  private left = MOST_MEMBERS;

  constructor(private readonly document: JsonObject) {}

  /** @param around the schemas that it lies in: one that holds itself ends there */
  of(schema: JsonObject | undefined, around: readonly JsonObject[] = []): Shape {
    const found = resolved(this.document, schema);
    if (found === undefined) return 'any';
    if (around.length >= MOST_LEVELS || this.left <= 0 || around.includes(found)) return typeOf(found);
    const within = [...around, found];
    const parts = objectsAt(found, 'allOf');
    const members = this.membersOf([found, ...parts], within);
    if (Object.keys(members).length > 0) return members;
    const items = objectAt(found, 'items');
    if (items !== undefined) return [this.of(items, within)];
    const [first] = [...objectsAt(found, 'oneOf'), ...objectsAt(found, 'anyOf'), ...parts];
    return first === undefined ? typeOf(found) : this.of(first, within);
  }

  private membersOf(schemas: readonly JsonObject[], within: readonly JsonObject[]): Record<string, Shape> {
    const members: [string, Shape][] = [];
    for (const schema of schemas) {
      const properties = objectAt(resolved(this.document, schema), 'properties');
      for (const [name, property] of Object.entries(properties ?? {})) {
        if (this.left-- <= 0) break;
        members.push([safeName(name), this.of(asObject(property), within)]);
      }
    }
    return Object.fromEntries(members);
  }
}

/** Names that begin with a dollar sign mean something to databases, and this one to JavaScript. */
const safeName = (name: string): string => (name.startsWith('$') || name === '__proto__' ? `_${name}` : name);

/** The type in one word, with its format: `string(date-time)`. OpenAPI 3.1 may name several. */
export function typeOf(schema: JsonObject | undefined): string {
  const type = member(schema, 'type');
  const named = Array.isArray(type) ? type.filter((one) => one !== 'null').join('|') : type;
  const format = textAt(schema, 'format');
  return `${typeof named === 'string' && named !== '' ? named : 'any'}${format === undefined ? '' : `(${format})`}`;
}
