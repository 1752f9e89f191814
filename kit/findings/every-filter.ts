import { ENVIRONMENTS } from '../../schema/model.js';
import { allFilters } from './filters.js';
import { negatedFilters, type NegatableFilter } from './selection.js';

/** Which engines are asked, by view segment; all when nothing is said. */
export interface EngineFilter {
  engine?: readonly string[] | null;
  not_engine?: readonly string[] | null;
}

/** What `engine` and `not_engine` are in the graph. */
export const ENGINE_FILTERS = {
  engine: { type: '[String!]', description: 'Only findings of these engines, by view segment.' },
  not_engine: { type: '[String!]', description: 'Without the findings of these engines, by view segment.' },
};

/** Filters by what findings do not say themselves, but their rules and resources do; each has its negation. */
const JOINED = {
  framework: { type: '[String!]', description: 'Only findings whose rules are mapped to controls of these frameworks, by framework_id.' },
  control: {
    type: '[String!]',
    description: 'Only findings whose rules are mapped to these controls, of the frameworks that are named or of any.',
  },
  owner: { type: '[String!]', description: 'Only findings on resources of these owners; at most 1,000 resources.' },
  environment: {
    type: '[String!]',
    description: `Only findings on resources of these environments (${ENVIRONMENTS.join(', ')}); at most 1,000 resources.`,
  },
  exposure: {
    type: '[Exposure!]',
    description: 'Only findings on resources that the internet reaches so far; at most 1,000 resources. It needs `network:read`.',
  },
  tag: {
    type: '[String!]',
    description: 'Only findings on resources with one of these tags, `key=value` or `key`; at most 1,000 resources.',
  },
};
type JoinedName = keyof typeof JOINED;
export type JoinedFilter = { readonly [Name in JoinedName | `not_${JoinedName}`]?: readonly string[] | null };

/** What they are in the graph. */
export const JOINED_FILTERS = Object.fromEntries(
  Object.entries(JOINED).flatMap(([name, { type, description }]) => [
    [name, { type, description }],
    [`not_${name}`, { type, description: `Without the findings that ${name} selects for the same value.` }],
  ]),
);

/** What findings over all engines are filtered by. */
export type EveryFilter = EngineFilter & JoinedFilter & NegatableFilter;

/** The declarations of all of it, in the order of the arguments of lists. */
export const everyFilter = (): Record<string, { readonly type: string; readonly description: string }> => ({
  ...ENGINE_FILTERS,
  ...allFilters(),
  ...JOINED_FILTERS,
  ...negatedFilters(),
});
