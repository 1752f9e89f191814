/** The values of a template's `{variables}` by name. */
export type Variables = Readonly<Record<string, string>>;

/** Fills `{name}` in; what is no variable stays as it is. */
export function fill(text: string, variables: Variables): string {
  return text.replace(/\{([a-z]\w*)\}/gi, (whole, name: string) => (Object.hasOwn(variables, name) ? variables[name]! : whole));
}

/** Fills in every text of a value; a text that is one variable of a variant becomes the variant's value, a number a number. */
export function fillDeep<T>(value: T, variables: Variables, values: Readonly<Record<string, unknown>>): T {
  if (typeof value === 'string') {
    const whole = /^\{([a-z]\w*)\}$/i.exec(value)?.[1];
    if (whole !== undefined && Object.hasOwn(values, whole)) return values[whole] as T;
    return fill(value, variables) as T;
  }
  if (Array.isArray(value)) return value.map((item: unknown) => fillDeep(item, variables, values)) as T;
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [fill(key, variables), fillDeep(inner as unknown, variables, values)]),
    ) as T;
  }
  return value;
}

/** A variant's or target's members as texts for variables. */
export function variablesOf(members: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}
