type Schema = Readonly<Record<string, unknown>>;

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
};

/** Where `value` breaks `schema`: the part of JSON Schema that our documents use, a few lines instead of a package. */
export function breaches(components: Readonly<Record<string, Schema>>, schema: Schema, value: unknown, path = '$'): string[] {
  if (typeof schema.$ref === 'string') {
    const target = components[schema.$ref.replace('#/components/schemas/', '')];
    return target ? breaches(components, target, value, path) : [`${path}: ${schema.$ref} is not defined`];
  }
  const found: string[] = [];
  const each = (part: unknown) => breaches(components, part as Schema, value, path);
  for (const alternatives of [schema.anyOf, schema.oneOf])
    if (Array.isArray(alternatives) && !alternatives.some((part) => each(part).length === 0))
      found.push(`${path}: none of the alternatives`);
  for (const part of (schema.allOf ?? []) as Schema[]) found.push(...each(part));
  const types = schema.type === undefined ? null : [schema.type].flat();
  const type = typeOf(value);
  if (types && !types.includes(type) && !(type === 'integer' && types.includes('number')))
    return [...found, `${path}: ${type} is not ${types.join(' or ')}`];
  if ('const' in schema && schema.const !== value) found.push(`${path}: not ${String(schema.const)}`);
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) found.push(`${path}: not one of the enum`);
  if (schema.format === 'date-time' && value !== null && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(String(value)))
    found.push(`${path}: no moment`);
  if (type === 'string') {
    const { length } = [...(value as string)];
    if (length < Number(schema.minLength ?? 0)) found.push(`${path}: too short`);
    if (length > Number(schema.maxLength ?? Infinity)) found.push(`${path}: too long`);
  }
  if (Array.isArray(value))
    return [...found, ...value.flatMap((item, index) => breaches(components, (schema.items ?? {}) as Schema, item, `${path}[${index}]`))];
  if (type !== 'object') return found;
  const given = value as Record<string, unknown>;
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  for (const name of (schema.required ?? []) as string[]) if (!(name in given)) found.push(`${path}.${name}: missing`);
  for (const [name, inner] of Object.entries(given)) {
    if (properties[name]) found.push(...breaches(components, properties[name], inner, `${path}.${name}`));
    else if (schema.additionalProperties === false || (schema.properties && !schema.allOf && Object.keys(properties).length > 1))
      found.push(`${path}.${name}: not documented`);
  }
  return found;
}
