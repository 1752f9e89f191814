/** A schema of the OpenAPI document, as far as it is shown. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header' | 'cookie';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;

export interface Answer {
  readonly description?: string;
  readonly content?: Content;
}

interface RawOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly required?: boolean; readonly description?: string; readonly content: Content };
  readonly responses: Readonly<Record<string, Answer | { readonly $ref: string }>>;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

/** The document of `/gateway/openapi.json`, as far as it is shown. */
export interface OpenApi {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, Answer>>;
    readonly headers: Readonly<Record<string, { readonly description?: string }>>;
    readonly securitySchemes: Readonly<Record<string, { readonly description?: string }>>;
  };
}

/** One endpoint, with what it refers to put in. */
export interface Operation extends Omit<RawOperation, 'parameters' | 'responses'> {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** By status; errors are under the name of their code in `error`. */
  readonly answers: readonly { readonly status: string; readonly error: string | null; readonly answer: Answer }[];
}

/** The last part of a reference: the name of what it refers to. */
export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

/** The endpoints, in the order of their tags. */
export function operationsOf({ tags, paths, components }: OpenApi): Operation[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]): Operation => {
      const { parameters, responses, ...rest } = raw;
      return {
        ...rest,
        method: method.toUpperCase(),
        path,
        parameters: parameters.map((one) => ('$ref' in one ? components.parameters[nameOf(one.$ref)]! : one)),
        answers: Object.entries(responses)
          .filter(([status]) => status !== 'default')
          .map(([status, answer]) =>
            '$ref' in answer
              ? { status, error: nameOf(answer.$ref), answer: components.responses[nameOf(answer.$ref)]! }
              : { status, error: null, answer },
          ),
      };
    }),
  );
  return tags.flatMap(({ name }) => all.filter((operation) => operation.tags[0] === name));
}

/** A schema in one line: `Severity[]`, `string or null`. */
export function typeOf(schema: Schema): string {
  if (schema.$ref) return nameOf(schema.$ref);
  const alternatives = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (alternatives) return alternatives.map(typeOf).join(schema.allOf ? ' and ' : ' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const names = [schema.type ?? 'any'].flat().map((name) => (name === 'array' && schema.items ? `${typeOf(schema.items)}[]` : name));
  return schema.format ? `${names.join(' or ')} (${schema.format})` : names.join(' or ');
}

/** The named schemas that one line of a schema speaks of. */
export function namesIn(schema: Schema): string[] {
  if (schema.$ref) return [nameOf(schema.$ref)];
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? []), ...(schema.items ? [schema.items] : [])];
  return [...new Set(parts.flatMap(namesIn))];
}

/** What a value must keep to, in words. */
export const limitsOf = ({ default: usual, minimum, maximum, enum: values }: Schema): string =>
  [
    usual === undefined ? '' : `default ${JSON.stringify(usual)}`,
    minimum === undefined ? '' : `from ${minimum}${maximum === undefined ? '' : ` to ${maximum}`}`,
    values ? `one of ${values.map((value) => String(value)).join(', ')}` : '',
  ]
    .filter(Boolean)
    .join('; ');
