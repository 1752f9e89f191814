import { isMap, isUnknown, Unknown, type Value } from './value.js';

/** A thing that will be made, whose attributes may be known before: a resource, a data source, a module. */
export class Reference extends Unknown {
  /**
   * @param address from the root: `module.net.aws_vpc.main[0]`
   * @param attribute the value of one of its attributes
   * @param isOpen nobody knows how often it is made: any index is its own
   */
  constructor(
    address: string,
    readonly attribute: (name: string) => Value,
    readonly isOpen = false,
  ) {
    super(`\${${address}}`);
  }
}

/** What an expression that cannot be worked out gives: a key that is not there, an argument of another kind. `try` goes on from it. */
export class Missing extends Unknown {}

/** The member or element of a value. */
export function stepInto(value: Value, key: Value): Value {
  if (value instanceof Missing) return value;
  if (value instanceof Reference) {
    if (typeof key === 'string' && !value.isOpen) return value.attribute(key);
    if (value.isOpen) return value;
    return extended(value, key);
  }
  if (isUnknown(value)) return extended(value, key);
  if (isUnknown(key)) return Unknown.of(`lookup(${key.text.replace(/^\$\{|\}$/g, '')}, null)`);
  if (Array.isArray(value)) {
    const element = typeof key === 'number' || /^\d+$/.test(String(key)) ? value[Number(key)] : undefined;
    return element === undefined ? missing(key) : element;
  }
  if (isMap(value) && Object.hasOwn(value, String(key))) return value[String(key)]!;
  return missing(key);
}

/** An attribute by its name: of an open reference, too. */
export const attributeOf = (value: Value, name: string): Value =>
  value instanceof Reference ? value.attribute(name) : stepInto(value, name);

const missing = (key: Value): Missing => new Missing(`\${null[${String(key)}]}`);

function extended(value: Unknown, key: Value): Unknown {
  const inner = /^\$\{([^{}]*)\}$/.exec(value.text)?.[1];
  if (inner === undefined) return Unknown.of(`lookup(${String(key)}, null)`);
  const step = typeof key === 'string' && /^[A-Za-z_][\w-]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  return Unknown.of(inner + (isUnknown(key) ? '[...]' : step));
}
