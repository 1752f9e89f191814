import { createTimeSlice } from '../../../kit/base/time-slice.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { EveryFilter } from '../../../kit/findings/every-filter.js';
import { addGroup, addMoments, type GroupCounts, type GroupMoments } from '../../../kit/findings/groups.js';
import { severityOfRank } from '../../../kit/findings/risk-score.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import { selectionIn, type SelectionIn } from '../list/joined.js';
import { engineScope, readAcross } from '../list/reading.js';
import { proposalFor } from './proposal.js';
import type { Way } from './way.js';
import { WAYS, type Grouping } from './ways.js';

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
      addGroup(known, group);
      known.engines.push(segment);
    }
  return all;
}

/** Findings of all engines that the caller may read in groups, those with most open findings first. */
export async function findingGroups(context: EngineContext, args: GroupArguments) {
  const window = pageWindow(args);
  const engines = engineScope(context, args);
  const selectionOf = await selectionIn(context, args);
  const way = await WAYS[args.group_by](context);
  const found = await readAcross(context, engines, async (database, facts) => {
    const selection = await selectionOf(database);
    return selection ? way.groups({ database, facts, selection }) : [];
  });
  const all = await merged(found.answers.map(({ facts, result }) => ({ segment: facts.viewSegment, groups: result })));
  const first = await firstGroups(all.values(), window.skip + window.limit);
  const page = first.slice(window.skip);
  const { moments, degraded } = await momentsOfPage(context, way, page, selectionOf);
  // of some statuses alone, a share says nothing of the rule
  const isOfRules = args.group_by === 'rule' && !args.status && !args.not_status;
  const items = page.map((group) => ({
    ...group,
    group_by: args.group_by,
    false_positive_rate: group.false_positive / group.total,
    proposal: isOfRules ? proposalFor(group) : null,
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

async function momentsOfPage(context: EngineContext, way: Way, page: readonly Group[], selectionOf: SelectionIn) {
  const names = new Set(page.flatMap(({ engines }) => engines));
  const engines = context.services.findingEngines.filter(({ viewSegment }) => names.has(viewSegment));
  // whole minutes, so that what was looked up is kept for a while
  const since = new Date(Math.floor(context.services.clock.now().getTime() / 60_000) * 60_000 - NEW_DAYS * DAY);
  const read = await readAcross(context, engines, async (database, facts) => {
    const selection = await selectionOf(database);
    const values = page.filter((group) => group.engines.includes(facts.viewSegment)).map(({ value }) => value);
    return selection ? way.moments({ database, facts, selection }, values, since) : [];
  });
  const moments = new Map<string | null, GroupMoments>();
  for (const one of read.answers.flatMap(({ result }) => result)) {
    const known = moments.get(one.value);
    if (known) addMoments(known, one);
    else moments.set(one.value, { ...one });
  }
  return { moments, degraded: read.degradedEngines };
}
