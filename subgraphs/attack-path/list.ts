import type { EngineContext } from '../../kit/engine/context.js';
import type { StepKind } from '../../kit/graph/types.js';
import { SHOWN } from '../../kit/findings/filters.js';
import { findings } from '../../kit/findings/row.js';
import { pageWindow, toPage, type PageArguments } from '../../kit/store/paging.js';
import type { Filter } from '../../kit/store/query.js';
import { FINDING_STATUSES, type FindingStatus, type Severity } from '../../schema/model.js';
import { Sight } from './masking.js';
import { attackPaths, pathSearches, type AttackPathRow } from './records.js';

export interface PathFilter {
  severity?: Severity[] | null;
  provider?: string[] | null;
  account_id?: string[] | null;
  region?: string[] | null;
  resource_type?: string[] | null;
  status?: FindingStatus[] | null;
  from?: string[] | null;
  to?: string[] | null;
  pattern?: StepKind[] | null;
  cve?: string[] | null;
}

const DAY = 86_400_000;
const RANKED = { weight: -1, finding_id: 1 } as const;

/** Paths as the caller may see them, worst first; what rests on engines that he may not read stands behind, in no order that tells of it. */
export async function listPaths(context: EngineContext, args: PathFilter & PageArguments) {
  const window = pageWindow(args);
  const sight = Sight.of(context);
  const rows = context.collection(attackPaths);
  const condition = await conditionOf(context, args);
  const whole: Filter = { ...condition, engines: { $nin: sight.restricted } };
  // severity and CVE of these are hidden, so that nothing is found by them
  const hasMasked = sight.restricted.length > 0 && !args.severity && !args.cve;
  const masked: Filter = { ...condition, engines: { $in: sight.restricted } };
  const [clear, hidden] = await Promise.all([rows.count(whole), hasMasked ? rows.count(masked) : 0]);
  const found = await rows.find(whole, { sort: RANKED, skip: window.skip, limit: window.limit });
  const left = window.limit - found.length;
  if (hasMasked && left > 0)
    found.push(...(await rows.find(masked, { sort: { finding_id: 1 }, skip: Math.max(0, window.skip - clear), limit: left })));
  const page = toPage(await shown(context, sight, found), clear + hidden, window);
  return { ...page, empty_because: page.total > 0 ? null : await whyEmpty(context, sight) };
}

/** Why there is nothing to list. That nobody gets in tells of findings: it is for who may read all of them. */
async function whyEmpty(context: EngineContext, sight: Sight): Promise<string> {
  if ((await context.collection(attackPaths).findOne({}, { fields: ['_id'] })) !== null) return 'filtered';
  const search = await context.collection(pathSearches).findOne({ _id: context.auth.tenant_id });
  if (search === null) return 'not_searched';
  if (search.targets === 0) return 'no_targets';
  return search.entries === 0 && sight.restricted.length === 0 ? 'no_entries' : 'no_way';
}

async function conditionOf(context: EngineContext, args: PathFilter): Promise<Filter> {
  const condition: Record<string, unknown> = {};
  for (const name of ['severity', 'provider', 'account_id', 'region', 'resource_type'] as const)
    if (args[name]) condition[name] = { $in: args[name] };
  if (args.to) condition['resource_uid'] = { $in: args.to };
  if (args.from) condition['uids'] = { $in: args.from };
  if (args.pattern) condition['steps.kind'] = { $all: args.pattern };
  if (args.cve) condition['cves'] = { $in: args.cve.map((id) => id.toUpperCase()) };
  const asked = args.status ?? SHOWN;
  const others = FINDING_STATUSES.filter((status) => !asked.includes(status));
  if (others.length > 0) condition['finding_id'] = { $nin: await pathsOfStatus(context, others) };
  return condition;
}

/** The paths that there are whose findings have one of some statuses. */
async function pathsOfStatus(context: EngineContext, statuses: readonly FindingStatus[]): Promise<string[]> {
  const ids = (await context.collection(attackPaths).find({}, { fields: ['finding_id'] })).map(
    ({ _id, finding_id }) => [_id, finding_id] as const,
  );
  const rowIds = ids.map(([, id]) => `${context.auth.tenant_id}|attack-path|${id}`);
  const found = await context.collection(findings).find({ _id: { $in: rowIds }, status: { $in: statuses } }, { fields: ['finding_id'] });
  return found.map(({ finding_id }) => finding_id);
}

/** Paths as they are listed, with where their findings stand. */
export async function shown(context: EngineContext, sight: Sight, rows: readonly AttackPathRow[]) {
  const ids = rows.map(({ finding_id }) => `${context.auth.tenant_id}|attack-path|${finding_id}`);
  const told = await context
    .collection(findings)
    .find({ _id: { $in: ids } }, { fields: ['finding_id', 'status', 'first_seen_at', 'risk_score'] });
  const known = new Map(told.map((row) => [row.finding_id, row]));
  const now = context.services.clock.now().getTime();
  return rows.map((row) => {
    const restrictedEngines = sight.restrictedOf(row.engines);
    const isClear = restrictedEngines.length === 0;
    const finding = known.get(row.finding_id);
    const nodes = sight.nodes(row).filter((node) => node !== null);
    const once = <T>(values: readonly (T | null)[]): T[] => [...new Set(values.filter((value) => value !== null))];
    return {
      path_id: row.finding_id,
      severity: isClear ? row.severity : null,
      status: finding?.status ?? null,
      risk_score: isClear ? (finding?.risk_score ?? row.risk_score) : null,
      likelihood: isClear ? row.likelihood : null,
      entry: row.entry,
      ...{ target: row.resource_uid, target_type: row.resource_type, target_name: row.resource_name },
      ...{ tier: row.jewel.tier, target_reason: row.jewel.reason, target_origin: row.jewel.origin, also_reaches: row.also_reaches },
      ...{ provider: row.provider, account_id: row.account_id, region: row.region },
      ...{ pattern: row.steps.map(({ kind }) => kind), length: row.steps.length, techniques: row.techniques },
      providers: once(nodes.map(({ provider }) => provider)).sort(),
      accounts: once(nodes.map(({ account_id }) => account_id)).sort(),
      cves: isClear ? row.cves : [],
      first_seen_at: finding?.first_seen_at ?? null,
      changed_at: row.changed_at,
      age_days: finding ? Math.floor((now - finding.first_seen_at.getTime()) / DAY) : null,
      restrictedEngines,
    };
  });
}
