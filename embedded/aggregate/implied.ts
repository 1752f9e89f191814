import type { Document } from 'bson';
import { decodeValue } from '../bson/decode.js';
import { BSON } from '../bson/raw.js';
import { rawValueOf } from '../bson/write.js';
import { conjunctsOf, type Filter } from '../query/ast.js';
import { plainFieldPath } from './raw-value.js';

/**
 * Adds to a filter the equalities that its $expr conditions imply, so that an index can serve them: the join of a $lookup
 * with a pipeline is usually written as `$expr: { $eq: ['$field', '$$variable'] }`.
 */
export function withImpliedEqualities(filter: Filter, variables: Document): Filter {
  const conditions = conjunctsOf(filter);
  const implied = conditions.flatMap((f) => (f.kind === 'expression' ? equalitiesOf(decodeValue(f.expression), variables) : []));
  return implied.length === 0 ? filter : { kind: 'and', filters: [...conditions, ...implied] };
}

function equalitiesOf(expression: unknown, variables: Document): Filter[] {
  if (typeof expression !== 'object' || expression === null) return [];
  const { $and: all, $eq: pair } = expression as { $and?: unknown; $eq?: unknown };
  if (Array.isArray(all)) return all.flatMap((e) => equalitiesOf(e, variables));
  if (!Array.isArray(pair) || pair.length !== 2) return [];
  const [a, b] = pair as [unknown, unknown];
  const path = plainFieldPath(a) ?? plainFieldPath(b);
  const other = plainFieldPath(a) ? b : a;
  const known = constantOf(other, variables);
  if (!path || path.names.length > 1 || known === undefined) return [];
  const value = rawValueOf(known);
  // A null would also stand for a missing field, and an array matches differently in a filter.
  if (value.type === BSON.null || value.type === BSON.array || value.type === BSON.regex) return [];
  return [{ kind: 'compare', path, operator: '$eq', value }];
}

function constantOf(expression: unknown, variables: Document): unknown {
  if (typeof expression !== 'string') return typeof expression === 'object' ? undefined : expression;
  if (!expression.startsWith('$')) return expression;
  const name = /^\$\$([a-zA-Z_]\w*)$/.exec(expression)?.[1];
  return name !== undefined && Object.hasOwn(variables, name) ? (variables[name] as unknown) : undefined;
}
