import {
  getNamedType,
  isCompositeType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { buildEngineSchema } from '../../kit/engine/schema.js';
import { engines } from '../../subgraphs/index.js';
import { BODIES, endpoints, valueOf, type Ids, type RootField } from './registry-facts.js';

const schemas = new Map<string, GraphQLSchema>(engines.map((engine) => [engine.name, buildEngineSchema(engine)]));
/** Deep enough for the findings on the asset of a finding, and within the cost that one operation may have. */
const DEPTH = 3;
const PAGE_SIZE = 5;
/** What arguments other than ids are given. */
const VALUES: Readonly<Record<string, unknown>> = { status: 'RESOLVED', number: 0 };

const isOptional = ({ args }: GraphQLField<unknown, unknown>) =>
  args.every((argument) => !isNonNullType(argument.type) || argument.defaultValue !== undefined);

function selection(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type);
  if (!isCompositeType(named)) return '';
  const fields = isObjectType(named) ? Object.values(named.getFields()).filter(isOptional) : [];
  const texts = fields.flatMap((field) => {
    const isLeaf = !isCompositeType(getNamedType(field.type));
    const size = field.args.some(({ name }) => name === 'limit') ? `(limit: ${PAGE_SIZE})` : '';
    return isLeaf ? [field.name] : depth > 0 ? [`${field.name}${size}${selection(field.type, depth - 1)}`] : [];
  });
  return ` { __typename ${texts.join(' ')} }`;
}

/** An operation on one root field that asks for everything its engine knows, with the required arguments taken from `ids`. */
export function operationOf(field: RootField, ids: Ids, segment: string | null): { query: string; variables: Record<string, unknown> } {
  const schema = schemas.get(field.engine)!;
  const root = field.kind === 'query' ? schema.getQueryType()! : schema.getMutationType()!;
  const definition = root.getFields()[field.name]!;
  const tag = endpoints.find(({ route }) => [route.field, route.file?.pieces].includes(field.name))?.route.tag;
  const required = definition.args.filter((argument) => isNonNullType(argument.type) && argument.defaultValue === undefined);
  const variables = Object.fromEntries(
    required.map(({ name, type }) => {
      if (name === 'input') return [name, BODIES[field.name]];
      if (name === 'finding_ids') return [name, [valueOf('finding_id', ids, segment, tag)]];
      if (name in VALUES) return [name, VALUES[name]];
      if (name === 'finding_ids') return [name, [valueOf('finding_id', ids, segment, tag)]];
      if (name === 'resource_uids') return [name, [valueOf('resource_uid', ids, segment, tag)]];
      if (isCompositeType(getNamedType(type))) throw new Error(`what is ${field.name}(${name})?`);
      return [name, valueOf(name, ids, segment, tag)];
    }),
  );
  const declared = required.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const size = definition.args.some(({ name }) => name === 'page_size') ? [`page_size: ${PAGE_SIZE}`] : [];
  const given = [...required.map(({ name }) => `${name}: $${name}`), ...size].join(', ');
  const query = `${field.kind}${declared && `(${declared})`} { ${field.name}${given && `(${given})`}${selection(definition.type, DEPTH)} }`;
  return { query, variables };
}
