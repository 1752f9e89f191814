import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  isScalarType,
  isUnionType,
  isInterfaceType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLInputObjectType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLType,
} from 'graphql';
import { ARGUMENT_LIMITS } from './scalars.js';

/** A JSON Schema of draft 2020-12, as OpenAPI 3.1 has it. */
export type JsonSchema = { [keyword: string]: unknown };

const SCALAR_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number' },
  String: { type: 'string' },
  ID: { type: 'string' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
  JSON: {},
};

export const schemaReference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

const nullable = (schema: JsonSchema): JsonSchema => {
  if (typeof schema.type === 'string') return { ...schema, type: [schema.type, 'null'] };
  return '$ref' in schema ? { anyOf: [schema, { type: 'null' }] } : schema;
};

/** The schema of a GraphQL type as it stands in an answer or a body. */
export function typeSchema(type: GraphQLType): JsonSchema {
  if (isNonNullType(type)) return bareSchema(type.ofType);
  return nullable(bareSchema(type));
}

/** As typeSchema, but the value itself is never null: parameters. */
export function bareSchema(type: GraphQLType): JsonSchema {
  if (isNonNullType(type)) return bareSchema(type.ofType);
  if (isListType(type)) return { type: 'array', items: typeSchema(type.ofType) };
  return isScalarType(type) ? { ...(SCALAR_SCHEMAS[type.name] ?? {}) } : schemaReference(getNamedType(type).name);
}

/** Adds what is known of a value beside its type: description, default, limits. */
export function describe(schema: JsonSchema, facts: { name: string; description?: string | null; defaultValue?: unknown }): JsonSchema {
  const limits = Object.hasOwn(ARGUMENT_LIMITS, facts.name) ? ARGUMENT_LIMITS[facts.name] : undefined;
  return {
    ...schema,
    ...(limits && { minimum: limits.least, ...(Number.isFinite(limits.most) && { maximum: limits.most }) }),
    ...(facts.description && { description: facts.description }),
    ...(facts.defaultValue !== undefined && { default: facts.defaultValue }),
  };
}

/** How the stored documents select the fields of each object type: in some selection, or in all. */
interface Selected {
  readonly some: Set<string>;
  always: Set<string> | null;
}

/** A document leaves out a field where its type would repeat within itself; such a field is not promised. */
function selectedFields(view: GraphQLSchema, documents: readonly DocumentNode[]): Map<string, Selected> {
  const selected = new Map<string, Selected>();
  for (const document of documents) {
    const info = new TypeInfo(view);
    visit(
      document,
      visitWithTypeInfo(info, {
        SelectionSet: (node) => {
          const parent = info.getParentType();
          if (!isObjectType(parent)) return;
          const names = new Set(node.selections.flatMap((selection) => (selection.kind === 'Field' ? [selection.name.value] : [])));
          const known = selected.get(parent.name) ?? { some: new Set(), always: null };
          for (const name of names) known.some.add(name);
          known.always = known.always === null ? names : new Set([...known.always].filter((name) => names.has(name)));
          selected.set(parent.name, known);
        },
      }),
    );
  }
  return selected;
}

function objectSchema(type: GraphQLObjectType, selected: Selected): JsonSchema {
  const fields = Object.values(type.getFields()).filter((field) => selected.some.has(field.name));
  const properties = Object.fromEntries(
    fields.map((field) => [field.name, describe(typeSchema(field.type), { name: '', description: field.description })]),
  );
  const required = fields.map((field) => field.name).filter((name) => selected.always?.has(name));
  return {
    type: 'object',
    ...(type.description && { description: type.description }),
    properties,
    ...(required.length > 0 && { required }),
  };
}

function inputSchema(type: GraphQLInputObjectType): JsonSchema {
  const fields = Object.values(type.getFields());
  const properties = Object.fromEntries(fields.map((field) => [field.name, describe(typeSchema(field.type), field)]));
  const required = fields.filter(isRequiredInputField).map((field) => field.name);
  return {
    type: 'object',
    ...(type.description && { description: type.description }),
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function schemaOf(type: GraphQLNamedType, selected: ReadonlyMap<string, Selected>): JsonSchema | null {
  if (isEnumType(type)) {
    const meanings = type.getValues().map(({ name, description }) => (description ? `- \`${name}\`: ${description}` : `- \`${name}\``));
    return {
      type: 'string',
      enum: type.getValues().map(({ name }) => name),
      description: [type.description ?? '', ...meanings].join('\n').trim(),
    };
  }
  if (isInputObjectType(type)) return inputSchema(type);
  const fields = selected.get(type.name);
  if (isObjectType(type)) return fields ? objectSchema(type, fields) : null;
  return null;
}

/**
 * The component schemas of everything that REST answers and takes.
 * @param view the REST view
 * @param documents the stored operations, which decide what fields an answer has
 */
export function componentSchemas(view: GraphQLSchema, documents: readonly DocumentNode[]): Record<string, JsonSchema> {
  const selected = selectedFields(view, documents);
  const roots = new Set([view.getQueryType()?.name, view.getMutationType()?.name]);
  const schemas: [string, JsonSchema][] = [];
  for (const type of Object.values(view.getTypeMap())) {
    if (type.name.startsWith('__') || roots.has(type.name)) continue;
    const abstract = isUnionType(type) || isInterfaceType(type) ? view.getPossibleTypes(type).filter(({ name }) => selected.has(name)) : [];
    const schema = abstract.length > 0 ? { anyOf: abstract.map(({ name }) => schemaReference(name)) } : schemaOf(type, selected);
    if (schema !== null) schemas.push([type.name, schema]);
  }
  return Object.fromEntries(schemas.sort(([a], [b]) => (a < b ? -1 : 1)));
}
