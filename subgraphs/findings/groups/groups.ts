import { createTimeSlice } from '../../../kit/base/time-slice.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { EveryFilter } from '../../../kit/findings/every-filter.js';
import type { FindingFacts } from '../../../kit/engine/finding-facts.js';
import { groupsOf, momentsOf, type GroupCounts, type GroupedBy } from '../../../kit/findings/groups.js';
import { severityOfRank } from '../../../kit/findings/risk-score.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import { selectionIn, type SelectionIn } from '../list/joined.js';
import { engineScope, readAcross } from '../list/reading.js';

const BY = { rule: 'rule_id', resource: 'resource_uid', account: 'account_id', cve: 'cve', engine: null } as const satisfies Record<
  string,
  GroupedBy | null
>;
export type Grouping = keyof typeof BY;

export type GroupArguments = EveryFilter & PageArguments & { group_by: Grouping };

const DAY = 86_400_000;
const NEW_DAYS = 7;

/** One group over all engines. */
interface Group extends GroupCounts {
  /** View segments of the engines that have findings of it. */
  engines: string[];
}

/** Most open findings first, then the worst, then most findings, then by value. */
const compare = (one: Group, other: Group): number =>
  other.open - one.open ||
  other.worst - one.worst ||
  other.total - one.total ||
  ((one.value ?? '') < (other.value ?? '') ? -1 : (one.value ?? '') > (other.value ?? '') ? 1 : 0);

/** The findings of one engine as one group. */
function wholeOf({ viewSegment, module }: FindingFacts, parts: readonly GroupCounts[]): GroupCounts[] {
  if (parts.length === 0) return [];
  const sum = (of: 'total' | 'open' | 'resolved' | 'suppressed') => parts.reduce((all, part) => all + part[of], 0);
  const worst = Math.max(...parts.map((part) => part.worst));
  return [
    {
      value: viewSegment,
      label: module.label,
      total: sum('total'),
      open: sum('open'),
      resolved: sum('resolved'),
      suppressed: sum('suppressed'),
      worst,
    },
  ];
}

/** The first groups in order. */
async function firstGroups(groups: Iterable<Group>, limit: number): Promise<Group[]> {
  const first: Group[] = [];
  const pause = createTimeSlice();
  for (const group of groups) {
    await pause();
    if (first.length === limit && compare(group, first.at(-1)!) >= 0) continue;
    let [low, high] = [0, first.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(first[middle]!, group) < 0) low = middle + 1;
      else high = middle;
    }
    first.splice(low, 0, group);
    if (first.length > limit) first.pop();
  }
  return first;
}

async function merged(answers: readonly { segment: string; groups: readonly GroupCounts[] }[]): Promise<Map<string | null, Group>> {
  const all = new Map<string | null, Group>();
  const pause = createTimeSlice();
  for (const { segment, groups } of answers)
    for (const group of groups) {
      await pause();
      const known = all.get(group.value);
      if (!known) {
        all.set(group.value, { ...group, engines: [segment] });
        continue;
      }
      for (const of of ['total', 'open', 'resolved', 'suppressed'] as const) known[of] += group[of];
      known.worst = Math.max(known.worst, group.worst);
      known.engines.push(segment);
    }
  return all;
}

/** Findings of all engines that the caller may read in groups, those with most open findings first. */
export async function findingGroups(context: EngineContext, args: GroupArguments) {
  const window = pageWindow(args);
  const engines = engineScope(context, args);
  const selectionOf = await selectionIn(context, args);
  const by = BY[args.group_by];
  const found = await readAcross(context, engines, async (database, facts) => {
    const selection = await selectionOf(database);
    const groups = selection ? await groupsOf(database, by ?? 'account_id', selection) : [];
    return by === null ? wholeOf(facts, groups) : groups;
  });
  const all = await merged(found.answers.map(({ facts, result }) => ({ segment: facts.viewSegment, groups: result })));
  const first = await firstGroups(all.values(), window.skip + window.limit);
  const page = first.slice(window.skip);
  const { moments, degraded } = await momentsOfPage(context, by, page, selectionOf);
  const items = page.map((group) => ({
    ...group,
    group_by: args.group_by,
    new: moments.get(group.value)?.fresh ?? 0,
    oldest: moments.get(group.value)?.oldest ?? null,
    worst: group.worst === 0 ? null : severityOfRank(group.worst),
  }));
  return {
    ...toPage(items, all.size, window),
    degradedEngines: [...found.degradedEngines, ...degraded],
    restrictedEngines: found.restrictedEngines,
  };
}

interface Moments {
  fresh: number;
  oldest: Date | null;
}

async function momentsOfPage(context: EngineContext, by: GroupedBy | null, page: readonly Group[], selectionOf: SelectionIn) {
  const names = new Set(page.flatMap(({ engines }) => engines));
  const engines = context.services.findingEngines.filter(({ viewSegment }) => names.has(viewSegment));
  // whole minutes, so that what was looked up is kept for a while
  const since = new Date(Math.floor(context.services.clock.now().getTime() / 60_000) * 60_000 - NEW_DAYS * DAY);
  const read = await readAcross(context, engines, async (database, { viewSegment }) => {
    const selection = await selectionOf(database);
    if (!selection) return [];
    const values = page.filter((group) => group.engines.includes(viewSegment)).map(({ value }) => value);
    const found = await momentsOf(database, by, values, selection, since);
    return by === null ? found.map((one) => ({ ...one, value: viewSegment })) : found;
  });
  const moments = new Map<string | null, Moments>();
  for (const { value, fresh, oldest } of read.answers.flatMap(({ result }) => result)) {
    const known = moments.get(value);
    const ats = [known?.oldest, oldest].filter((at) => at != null).map((at) => at.getTime());
    moments.set(value, { fresh: (known?.fresh ?? 0) + fresh, oldest: ats.length === 0 ? null : new Date(Math.min(...ats)) });
  }
  return { moments, degraded: read.degradedEngines };
}
