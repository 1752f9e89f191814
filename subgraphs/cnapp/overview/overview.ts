import type { EngineContext } from '../../../kit/engine/context.js';
import { readableEngines, readerOf } from '../../../kit/findings/readers.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import { SEVERITIES, type Severity } from '../../../schema/model.js';
import { cnappGroups, type CnappGroupRow, type Counts, type Grouping } from './records.js';

/** Which side of the estate an engine's findings are a risk of. */
const SIDES = {
  posture: ['check', 'network-security', 'encryption', 'technology', 'agent'],
  workload: ['vulnerability', 'container-security', 'cwpp', 'secops', 'api-security', 'cdr', 'threat'],
  identity: ['iam', 'ciem'],
  data: ['datasec', 'dbsec', 'ai-security'],
  combinations: ['cnapp'],
} as const;

const NOTHING: Counts = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };

export interface OverviewArguments extends PageArguments {
  by: Grouping;
  value?: string[] | null;
}

/** Posture, workload, identity and data risk of all and of each group, the worst first, in the engines that the caller may read. */
export async function cnappOverview(context: EngineContext, { by, value, ...paging }: OverviewArguments) {
  const window = pageWindow(paging);
  const { services, auth } = context;
  const readable = readableEngines(services.findingEngines, auth);
  const reader = readerOf(services.findingEngines, auth);
  const rows = context.collection(cnappGroups);
  const condition = {
    grouping: by,
    ...(value && { value: { $in: value } }),
    // a group in which the caller may read nothing is none to them
    ...(reader && { [`assets.${reader}`]: { $gt: 0 } }),
  };
  // whoever reads other engines than any role gets an order that tells nothing of the others
  const sort = reader ? ({ [`weight.${reader}`]: -1, value: 1 } as const) : ({ value: 1 } as const);
  const [all, items, total] = await Promise.all([
    rows.findOne({ grouping: 'all' }),
    rows.find(condition, { sort, skip: window.skip, limit: window.limit }),
    rows.count(condition),
  ]);
  const restricted = services.findingEngines.filter(({ engine }) => !readable.includes(engine));
  return {
    by,
    counted_at: all?.counted_at ?? null,
    ...sidesOf(all, readable),
    ...toPage(
      items.map((row) => ({ value: row.value || null, assets: reader ? row.assets[reader] : null, ...sidesOf(row, readable) })),
      total,
      window,
    ),
    restrictedEngines: restricted.map(({ viewSegment }) => viewSegment),
  };
}

const sidesOf = (row: Pick<CnappGroupRow, 'open'> | null, readable: readonly string[]) =>
  Object.fromEntries(
    Object.entries(SIDES).map(([side, engines]) => [
      side,
      sumOf(engines.filter((engine) => readable.includes(engine)).map((engine) => row?.open[engine])),
    ]),
  ) as Record<keyof typeof SIDES, Counts>;

function sumOf(counts: readonly (Counts | undefined)[]): Counts {
  const sums: Record<Severity, number> = { ...NOTHING };
  for (const one of counts) for (const severity of SEVERITIES) sums[severity] += one?.[severity] ?? 0;
  return sums;
}
