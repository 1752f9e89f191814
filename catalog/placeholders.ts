export type Placeholders = Readonly<Record<string, string>>;

/** Fills `{name}` in; what is no placeholder stays as it is. */
export function fill(text: string, placeholders: Placeholders): string {
  return text.replace(/\{([a-z]\w*)\}/gi, (whole, name: string) => (Object.hasOwn(placeholders, name) ? placeholders[name]! : whole));
}

/** Fills in every text of a value; a text that is one placeholder of a variant becomes the variant's value, a number a number. */
export function fillDeep<T>(value: T, placeholders: Placeholders, values: Readonly<Record<string, unknown>>): T {
  if (typeof value === 'string') {
    const whole = /^\{([a-z]\w*)\}$/i.exec(value)?.[1];
    if (whole !== undefined && Object.hasOwn(values, whole)) return values[whole] as T;
    return fill(value, placeholders) as T;
  }
  if (Array.isArray(value)) return value.map((item: unknown) => fillDeep(item, placeholders, values)) as T;
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [fill(key, placeholders), fillDeep(inner as unknown, placeholders, values)]),
    ) as T;
  }
  return value;
}

/** A variant's or target's members as texts for placeholders. */
export function placeholdersOf(members: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}
