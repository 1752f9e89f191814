import { defineCollection, type RowOf } from '../../kit/store/collection.js';
import { date, list, number, object, text, textOf } from '../../kit/store/fields.js';
import { RESOURCE_FIELDS } from '../../kit/engine/resource-fields.js';
import type { GraphNode, Jewel } from '../../kit/graph/types.js';
import type { Severity } from '../../schema/model.js';
import type { PathStep } from './draft.js';

const RANKED = { weight: -1, finding_id: 1 } as const;

/**
 * The paths that there are, each with the way that is likeliest now; `_id` is `<tenant_id>|<finding_id>`. Its finding has status and history. The
 * resource is what the path leads to.
 */
export const attackPaths = defineCollection(
  'attack_paths',
  {
    ...RESOURCE_FIELDS,
    finding_id: text,
    entry: text,
    pattern: text,
    jewel: object<Jewel>(),
    severity: textOf<Severity>(),
    risk_score: number,
    likelihood: number,
    weight: number,
    also_reaches: number,
    nodes: list(object<GraphNode>()),
    steps: list(object<PathStep>()),
    /** The resources on the way, in order. */
    uids: list(text),
    techniques: list(text),
    providers: list(text),
    accounts: list(text),
    cves: list(text),
    /** The engines whose findings and readings of the estate it rests on. */
    engines: list(text),
    /** Of the way that it takes: another one is a reroute. */
    route: text,
    digest: text,
    changed_at: date,
  },
  [
    { key: { tenant_id: 1, ...RANKED } },
    { key: { tenant_id: 1, resource_uid: 1, ...RANKED } },
    { key: { tenant_id: 1, uids: 1, ...RANKED } },
    { key: { tenant_id: 1, cves: 1, ...RANKED } },
  ],
);
/** What the last search of a tenant had before it; `_id` is the tenant's id. */
export const pathSearches = defineCollection('attack_path_searches', {
  /** Steps by which somebody from outside gets in. */
  entries: number,
  /** What there is to be after. */
  targets: number,
});
export type PathSearchRow = RowOf<typeof pathSearches>;
export type AttackPathRow = RowOf<typeof attackPaths>;
