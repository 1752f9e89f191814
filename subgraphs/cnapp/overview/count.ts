import type { EngineContext, IngestSinks } from '../../../kit/engine/context.js';
import { keepRows } from '../../../kit/engine/kept-rows.js';
import { enginesOf, READERS, type Reader } from '../../../kit/findings/readers.js';
import { readOpenAssets, type ReadOpenAsset } from '../../../kit/read/open-assets.js';
import { digestOf } from '../../../kit/store/row-id.js';
import { SEVERITIES, type Severity } from '../../../schema/model.js';
import { cnappGroups, type CnappGroupRow, type Counts, type Grouping } from './records.js';

/** Tags that name the application that a resource belongs to, the first that it has counts. */
const APPLICATION_TAGS = ['application', 'app', 'app.kubernetes.io/part-of', 'app.kubernetes.io/name', 'service', 'workload', 'product'];

/** What findings of a severity weigh: one of the next worse outweighs many. */
const WEIGHTS: Readonly<Record<Severity, number>> = { critical: 1_000, high: 100, medium: 10, low: 1, info: 0 };

/** Rows that are written in one transaction. */
const BATCH = 200;

class Group {
  readonly assets: Record<Reader, number> = { analyst: 0, viewer: 0 };
  readonly open = new Map<string, Record<Severity, number>>();

  constructor(
    readonly grouping: Grouping | 'all',
    readonly value: string,
  ) {}

  add({ open }: ReadOpenAsset, readable: Readonly<Record<Reader, readonly string[]>>): void {
    for (const reader of READERS) if (open.some(({ engine }) => readable[reader].includes(engine))) this.assets[reader]++;
    for (const { engine, ...counts } of open) {
      const sums = this.open.get(engine) ?? { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
      for (const severity of SEVERITIES) sums[severity] += counts[severity];
      this.open.set(engine, sums);
    }
  }
}

/** Counts the open findings of each application, account and namespace anew; rows that say the same stay as they are. */
export const countGroups: IngestSinks['conclude'] = (context, { at }) =>
  keepRows(context, cnappGroups, async function* () {
    const groups = await groupsOf(context);
    for (let from = 0; from < groups.length; from += BATCH)
      yield groups.slice(from, from + BATCH).map((group) => rowOf(context, group, at));
  });

async function groupsOf(context: EngineContext): Promise<Group[]> {
  const groups = new Map<string, Group>([['all', new Group('all', '')]]);
  const of = (grouping: Grouping, value: string): Group => {
    const key = JSON.stringify([grouping, value]);
    const known = groups.get(key) ?? new Group(grouping, value);
    groups.set(key, known);
    return known;
  };
  const readable = readableOf(context);
  for await (const asset of readOpenAssets(context, APPLICATION_TAGS)) {
    groups.get('all')!.add(asset, readable);
    of('application', asset.tag ?? '').add(asset, readable);
    of('account', asset.account_id ?? '').add(asset, readable);
    if (asset.namespace !== null) of('namespace', asset.namespace).add(asset, readable);
  }
  return [...groups.values()];
}

const readableOf = ({ services }: EngineContext): Record<Reader, string[]> =>
  Object.fromEntries(READERS.map((reader) => [reader, enginesOf(reader, services.findingEngines)])) as Record<Reader, string[]>;

function rowOf(context: EngineContext, { grouping, value, assets, open }: Group, counted_at: Date): CnappGroupRow {
  const readable = readableOf(context);
  const weightOf = (reader: Reader) =>
    [...open].reduce((sum, [engine, counts]) => (readable[reader].includes(engine) ? sum + weigh(counts) : sum), 0);
  const weight = Object.fromEntries(READERS.map((reader) => [reader, weightOf(reader)])) as Record<Reader, number>;
  const said = { grouping, value, assets, open: Object.fromEntries([...open].sort(([one], [other]) => (one < other ? -1 : 1))), weight };
  const { tenant_id } = context.auth;
  return { _id: `${tenant_id}|${digestOf([grouping, value])}`, tenant_id, ...said, digest: digestOf(said), counted_at };
}

const weigh = (counts: Counts): number => SEVERITIES.reduce((sum, severity) => sum + counts[severity] * WEIGHTS[severity], 0);
