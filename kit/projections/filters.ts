import type { Filter } from '../store/query.js';
import { containsText } from '../store/text-filter.js';
import type { ProjectionDefinition, ProjectionField } from './facet.js';

/** A filter of a projection's list: its argument in the graph, and the condition of a value. */
export interface ListFilter {
  readonly type: string;
  readonly description: string;
  condition(value: never): Filter;
}

const anyOf = (column: string, type: string, description: string): ListFilter => ({
  type: `[${type}!]`,
  description,
  condition: (values: readonly unknown[]) => ({ [column]: { $in: values } }),
});

/** Name of an enum's type: `KeyOrCertificateKind`. */
export const enumName = (type: string, field: string): string =>
  type + field.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

function fieldFilters(type: string, name: string, { type: kind }: ProjectionField, things: string): [string, ListFilter][] {
  const bound = (operator: string) => (value: unknown) => ({ [name]: { [operator]: value } });
  const only = `Only ${things}`;
  switch (kind) {
    case 'boolean':
      return [
        [name, { type: 'Boolean', description: `${only} whose ${name} is this.`, condition: (value: boolean) => ({ [name]: value }) }],
      ];
    case 'integer':
      return [
        [`${name}_min`, { type: 'Int', description: `${only} whose ${name} is at least this.`, condition: bound('$gte') }],
        [`${name}_max`, { type: 'Int', description: `${only} whose ${name} is at most this.`, condition: bound('$lte') }],
      ];
    case 'moment':
      return [
        [`${name}_after`, { type: 'DateTime', description: `${only} whose ${name} is after this moment.`, condition: bound('$gt') }],
        [`${name}_before`, { type: 'DateTime', description: `${only} whose ${name} is before this moment.`, condition: bound('$lt') }],
      ];
    default:
      return [[name, anyOf(name, kind === 'enum' ? enumName(type, name) : 'String', `${only} whose ${name} is one of these.`)]];
  }
}

/** The filters of a projection's list: those of every asset, and those of its own fields. */
export function listFilters({ type, things, facet: { fields } }: ProjectionDefinition): ReadonlyMap<string, ListFilter> {
  const search: ListFilter = {
    type: 'String',
    description: `Only ${things} whose identifier or name holds this text, in any case.`,
    condition: (text: string) => (text === '' ? {} : containsText(['resource_uid', 'resource_name'], text)),
  };
  return new Map<string, ListFilter>([
    ['provider', anyOf('provider', 'Provider', `Only ${things} of these providers.`)],
    ['account_id', anyOf('account_id', 'String', `Only ${things} of these accounts.`)],
    ['region', anyOf('region', 'String', `Only ${things} of these regions.`)],
    ['resource_type', anyOf('resource_type', 'String', `Only ${things} of these resource types.`)],
    ['resource_uid', anyOf('resource_uid', 'String', `Only ${things} of these identifiers.`)],
    [
      'planned',
      {
        type: 'Boolean',
        description: `With \`true\` only ${things} that a plan alone tells of, with \`false\` only the others; without it both.`,
        condition: (planned: boolean) => ({ planned: planned ? true : null }),
      },
    ],
    ['q', search],
    ...Object.entries(fields).flatMap(([name, field]) => (field.filter ? fieldFilters(type, name, field, things) : [])),
  ]);
}

/** The database's condition for the arguments of a list. */
export function listCondition(filters: ReadonlyMap<string, ListFilter>, args: Readonly<Record<string, unknown>>): Filter {
  const asked = [...filters].flatMap(([name, filter]) => (args[name] == null ? [] : [filter.condition(args[name] as never)]));
  // two bounds of one field stand beside each other
  return asked.length === 0 ? {} : { $and: asked };
}
