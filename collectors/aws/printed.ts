/** An object of JSON. */
export type Printed = Record<string, unknown>;

const isObject = (value: unknown): value is Printed => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * An answer of the SDK as the command line prints it: without what the SDK knows of the call, times and bytes as texts, policies that were
 * encoded for a URL as the documents that they are.
 * @param without paths whose values are left out, through the lists on the way
 */
export function asPrinted(answer: object, without: readonly string[] = []): Printed {
  const { $metadata: _, ...members } = answer as Printed;
  const printed = plain(members) as Printed;
  for (const path of without) leaveOut(printed, path.split('.'));
  return printed;
}

function plain(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value === 'string') return value.startsWith('%7B') ? decoded(value) : value;
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([name, member]) => (member === undefined ? [] : [[name, plain(member)]])));
}

function decoded(text: string): unknown {
  try {
    return JSON.parse(decodeURIComponent(text));
  } catch {
    return text;
  }
}

function leaveOut(value: unknown, [name, ...rest]: readonly string[]): void {
  if (Array.isArray(value)) for (const entry of value as unknown[]) leaveOut(entry, [name!, ...rest]);
  else if (isObject(value)) {
    if (rest.length === 0) delete value[name!];
    else leaveOut(value[name!], rest);
  }
}

/** What stands at a path; undefined where there is nothing. */
export function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value);
}

/** The things at a path: those of a list, or the one that stands there; a text is called `as`. */
export function thingsAt(value: unknown, path: string, as = 'name'): Printed[] {
  const found = at(value, path);
  return (Array.isArray(found) ? (found as unknown[]) : [found]).flatMap((thing) =>
    typeof thing === 'string' ? [{ [as]: thing }] : isObject(thing) ? [thing] : [],
  );
}
