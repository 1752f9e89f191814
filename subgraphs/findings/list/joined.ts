import { mapControl } from '../../../catalog/reported-controls.js';
import { ENVIRONMENTS } from '../../../schema/model.js';
import { badRequest } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { defineOperation, runOperation } from '../../../kit/engine/operation.js';
import { cellsOf, findingCounters } from '../../../kit/findings/counters.js';
import type { JoinedFilter } from '../../../kit/findings/every-filter.js';
import { keptUntilChange } from '../../../kit/findings/kept.js';
import { bothOf, selectionOf, type NegatableFilter, type Selection } from '../../../kit/findings/selection.js';
import { readRules } from '../../../kit/read/rules.js';
import type { EngineDatabase } from '../../../kit/store/database.js';

/** Resources that a filter may go by, and those that are asked for at a time. */
const [MOST, AT_ONCE] = [1_000, 200];
const MINUTE = 60_000;

interface Assets {
  items: { resource_uid: string }[];
  total: number;
}
const ASSET_FILTERS = { owner: '[String!]', environment: '[Environment!]', exposure: '[Exposure!]', tag: '[String!]' } as const;
type AssetFilter = { readonly [Name in keyof typeof ASSET_FILTERS]?: readonly string[] };
const assets = defineOperation<AssetFilter & { page: number; size: number }, Assets>(
  'di',
  `query(${Object.entries(ASSET_FILTERS)
    .map(([name, type]) => `$${name}: ${type}`)
    .join(', ')}, $page: Int!, $size: Int!) {
    result: assets(${Object.keys(ASSET_FILTERS)
      .map((name) => `${name}: $${name}`)
      .join(', ')}, page: $page, page_size: $size) { items { resource_uid } total }
  }`,
);

/** The resources that a filter of the inventory selects. @throws PalisadeError BAD_REQUEST for more than a filter may go by */
async function resourcesOf(context: EngineContext, filter: AssetFilter): Promise<string[]> {
  const uids: string[] = [];
  for (let page = 1; ; page++) {
    const { items, total } = await runOperation(context, assets, { ...filter, page, size: AT_ONCE });
    if (total > MOST)
      throw badRequest(`${Object.keys(filter).join(' and ')} select ${total} resources; findings are filtered by ${MOST} at most`);
    uids.push(...items.map(({ resource_uid }) => resource_uid));
    if (page * AT_ONCE >= total) return uids;
  }
}

/** The rules of one engine's findings that are mapped to any of some controls. Kept until a finding changes. */
function rulesOf(
  context: EngineContext,
  database: EngineDatabase,
  frameworks: readonly string[] | null,
  controls: readonly string[] | null,
): Promise<string[]> {
  return keptUntilChange(database, `rules of ${JSON.stringify([frameworks, controls])}`, {}, async () => {
    const rows = await database.collection(findingCounters).find({ by: 'rule_id', total: { $gt: 0 } }, { fields: ['value', 'counts'] });
    const rules = await readRules(
      context,
      rows.map(({ value }) => value!),
    );
    const isAmong = (values: readonly string[] | null, value: string) => values === null || values.includes(value);
    return rows.flatMap((row, n) => {
      const providers = new Set(cellsOf(row).map(({ provider }) => provider));
      const mapped = [...providers].flatMap((provider) => (rules[n]?.controls ?? []).map((control) => mapControl(control, provider)));
      return mapped.some(({ framework, controlId }) => isAmong(frameworks, framework) && isAmong(controls, controlId)) ? [row.value!] : [];
    });
  });
}

/** `overdue` as findings are compared with it: at a moment, whole minutes, so that what was looked up is kept for a while; false is its negation. */
function atMoment({ overdue, not_overdue, ...others }: NegatableFilter, now: Date): NegatableFilter {
  const moment = new Date(Math.floor(now.getTime() / MINUTE) * MINUTE);
  const wanted = [overdue, typeof not_overdue === 'boolean' ? !not_overdue : null].filter((one) => typeof one === 'boolean');
  return {
    ...others,
    ...(wanted.includes(true) && { overdue: moment }),
    ...(wanted.includes(false) && { not_overdue: moment }),
  };
}

/** What is asked for of one engine; null where it can select nothing. */
export type SelectionIn = (database: EngineDatabase) => Promise<Selection | null>;

/**
 * What filters ask for, engine by engine, with what is joined; what is the same for all engines is looked up once.
 * @throws PalisadeError BAD_REQUEST for an environment that is none, and for filters that select too many resources; FORBIDDEN for filters by
 *   resources where the caller may not read the inventory
 */
export async function selectionIn(context: EngineContext, args: NegatableFilter & JoinedFilter): Promise<SelectionIn> {
  const selection = selectionOf(atMoment(args, context.services.clock.now()));
  const asked = (name: keyof JoinedFilter): readonly string[] | null => args[name] ?? null;
  const environments: readonly string[] = ENVIRONMENTS;
  if ([...(args.environment ?? []), ...(args.not_environment ?? [])].some((one) => !environments.includes(one)))
    throw badRequest(`environment must be one of ${environments.join(', ')}`);
  const given = Object.fromEntries(
    (Object.keys(ASSET_FILTERS) as (keyof typeof ASSET_FILTERS)[]).flatMap((name) => (asked(name) ? [[name, asked(name)!]] : [])),
  );
  const resources = Object.keys(given).length === 0 ? null : await resourcesOf(context, given);
  const left: string[] = [];
  for (const name of Object.keys(ASSET_FILTERS) as (keyof typeof ASSET_FILTERS)[]) {
    const values = asked(`not_${name}`);
    if (values) left.push(...(await resourcesOf(context, { [name]: values })));
  }
  return async (database) => {
    if (!selection) return null;
    let { wanted } = selection;
    const excluded = [...selection.excluded];
    const narrow = (filter: { rule_id: readonly string[] } | { resource_uid: readonly string[] }): boolean => {
      const both = Object.values(filter)[0]!.length === 0 ? null : bothOf(wanted, filter);
      if (both) wanted = both;
      return Boolean(both);
    };
    if (resources && !narrow({ resource_uid: resources })) return null;
    if (left.length > 0) excluded.push({ resource_uid: left });
    const [frameworks, controls] = [asked('framework'), asked('control')];
    if ((frameworks || controls) && !narrow({ rule_id: await rulesOf(context, database, frameworks, controls) })) return null;
    for (const [not, of] of [[asked('not_framework'), null] as const, [null, asked('not_control')] as const]) {
      const rules = not || of ? await rulesOf(context, database, not, of) : [];
      if (rules.length > 0) excluded.push({ rule_id: rules });
    }
    return { wanted, excluded };
  };
}
