import { randomUUID } from 'node:crypto';
import type { Severity } from '../../schema/model.js';
import { createTimeSlice } from '../base/time-slice.js';
import { repeatOnDuplicate, type EngineDatabase } from '../store/database.js';
import type { BulkUpdate, TransactionOf } from '../store/query.js';
import { partsOf } from '../store/text-parts.js';
import {
  cellKey,
  counterId,
  findingCounters,
  GROUPED,
  GROUPED_MOMENTS,
  PLACE,
  type CountedRow,
  type CounterRow,
  type Grouping,
} from './counters.js';
import { exploitKey } from './exploit-cell.js';
import { severityRank } from './risk-score.js';
import { findingTexts, keptTexts, SEARCHED, STEP, type FindingTextsRow, type Searched } from './texts.js';

/** Whether summaries order the rows by their totals, and searches look at their texts. */
const isRanked = (by: Grouping): by is Searched => by in SEARCHED;

const GROUPINGS: readonly Grouping[] = ['all', ...GROUPED, ...GROUPED_MOMENTS, 'place'];
const isMoment = (by: Grouping): by is (typeof GROUPED_MOMENTS)[number] => (GROUPED_MOMENTS as readonly Grouping[]).includes(by);
const isColumn = (by: Grouping): by is (typeof GROUPED)[number] => (GROUPED as readonly Grouping[]).includes(by);

/** What a finding has in common with those of its row of counters. */
function valuesOf(by: Grouping, row: CountedRow): (string | null)[] {
  if (isMoment(by)) return [row[by].toISOString()];
  if (isColumn(by)) return [row[by]];
  return by === 'place' ? PLACE.map((column) => row[column]) : [];
}

function commonOf(by: Grouping, row: CountedRow): Partial<CounterRow> {
  if (isMoment(by)) return { moment: row[by] };
  if (isColumn(by)) return { value: row[by] ?? undefined };
  return by === 'place' ? { account_id: row.account_id ?? undefined, region: row.region, resource_type: row.resource_type } : {};
}

/** Columns that no counter tells of but by the row that it is in. */
const ROW_ONLY = ['rule_id', 'resource_uid', 'scan_run_id', ...GROUPED_MOMENTS] as const;
const CELL = ['severity', 'status', 'provider', ...PLACE] as const;

/** Whether a finding stays in the cells that it is in, and tells no text. */
const isSameCell = (before: CountedRow, after: CountedRow): boolean =>
  after.title === undefined &&
  !after.resource_name &&
  CELL.every((column) => before[column] === after[column]) &&
  exploitKey(before) === exploitKey(after);

/** The rows that a finding leaves which stays in its cells. That of all is changed by every move. */
const groupingsLeft = (before: CountedRow, after: CountedRow): Grouping[] => [
  'all',
  ...ROW_ONLY.filter((by) => (isMoment(by) ? before[by].getTime() !== after[by].getTime() : before[by] !== after[by])),
];

/** What one row of counters gets. */
interface Change {
  readonly by: Grouping;
  readonly values: readonly (string | null)[];
  /** What a row that is made by it says of its findings. */
  readonly common: Partial<CounterRow>;
  readonly cells: Map<string, number>;
  readonly texts: Set<string>;
}

type Known = Pick<CounterRow, '_id' | 'counts' | 'texts'>;

/** Changes of counters, and of the texts by which findings are searched, gathered over a batch and written in its transaction. */
export class CounterChanges {
  private readonly rows = new Map<string, Change>();

  add(row: CountedRow, step: 1 | -1): void {
    for (const by of GROUPINGS) this.count(by, row, step);
  }

  move(before: CountedRow, after: CountedRow): void {
    for (const by of isSameCell(before, after) ? groupingsLeft(before, after) : GROUPINGS) {
      this.count(by, before, -1);
      this.count(by, after, 1);
    }
  }

  /** Changes the counters of the findings' engine. A row that counts nothing any more goes, but for that of the whole engine. */
  async write(database: EngineDatabase, transaction: TransactionOf): Promise<void> {
    if (this.rows.size === 0) return;
    const changes = new Map<string, Change>();
    for (const change of this.rows.values()) {
      for (const [key, by] of change.cells) if (by === 0) change.cells.delete(key);
      if (change.cells.size > 0 || change.texts.size > 0 || change.by === 'all')
        changes.set(counterId(database, change.by, change.values), change);
    }
    const counters = database.collection(findingCounters);
    const stored: Known[] = await counters.find({ _id: { $in: [...changes.keys()] } }, { fields: ['counts', 'texts'], transaction });
    const known = new Map(stored.map((row) => [row._id, row]));
    const scope = { tenant_id: database.tenantId, engine: database.engine };
    const made: { rows: CounterRow[]; texts: FindingTextsRow[] } = { rows: [], texts: [] };
    const updates: { rows: BulkUpdate[]; texts: BulkUpdate[] } = { rows: [], texts: [] };
    const gone: string[] = [];
    const pause = createTimeSlice();
    for (const [_id, change] of changes) {
      await pause();
      const before = known.get(_id);
      const texts = textsAfter(change, before);
      if (change.cells.size === 0 && texts === undefined && change.by !== 'all') continue;
      const after = { ...countedAs(change, before?.counts ?? {}), ...(texts !== undefined && { texts }), ...renewed(change) };
      const isGone = before && change.by !== 'all' && Object.keys(after.counts).length === 0;
      if (isGone) gone.push(_id);
      else if (before) updates.rows.push({ _id, update: { $set: after } });
      else made.rows.push({ _id, ...scope, by: change.by, ...change.common, ...after });
      if (isGone || texts === undefined) continue;
      const parts = partsOf(texts, STEP);
      if (before) updates.texts.push({ _id, update: { $set: { parts, by: change.by } }, upsert: true });
      else made.texts.push({ _id, ...scope, by: change.by as Searched, parts });
    }
    const searched = database.collection(findingTexts);
    // two first findings of a value at once: the later transaction starts again
    await counters.insertMany(made.rows, { transaction }).catch(repeatOnDuplicate);
    await counters.bulkUpdate(updates.rows, { transaction });
    await searched.insertMany(made.texts, { transaction }).catch(repeatOnDuplicate);
    await searched.bulkUpdate(updates.texts, { transaction });
    if (gone.length === 0) return;
    await counters.remove({ _id: { $in: gone } }, { transaction });
    await searched.remove({ _id: { $in: gone } }, { transaction });
  }

  private count(by: Grouping, row: CountedRow, step: 1 | -1): void {
    const values = valuesOf(by, row);
    const name = values.length === 1 ? `${by} ${values[0] ?? '\0'}` : `${by} ${JSON.stringify(values)}`;
    let change = this.rows.get(name);
    if (!change) this.rows.set(name, (change = { by, values, common: commonOf(by, row), cells: new Map(), texts: new Set() }));
    const key = cellKey(by, row);
    change.cells.set(key, (change.cells.get(key) ?? 0) + step);
    const searched = isRanked(by) && step === 1 ? row[SEARCHED[by]] : undefined;
    // none is a text, too: where only some findings have a name, the others are not found by it
    if (searched !== undefined) change.texts.add(searched ?? '');
  }
}

/** Another version of the whole engine's findings. */
const renewed = ({ by }: Change) => (by === 'all' ? { version: randomUUID() } : {});

/** The texts of a rule or a resource after a change; undefined where they stay as they are. They are forgotten with their row. */
function textsAfter({ texts }: Change, before: Known | undefined): string[] | null | undefined {
  const known = before?.texts === undefined ? [] : before.texts;
  if (known === null) return undefined;
  const added = [...texts].filter((one) => !known.includes(one));
  const all = added.length > 0 ? keptTexts([...known, ...added]) : undefined;
  return all && [...all];
}

/** What a row's counts become, and what summaries order it by. */
function countedAs({ by, cells, texts }: Change, before: Readonly<Record<string, number>>) {
  const counts = { ...before };
  for (const [key, step] of cells) {
    const count = (counts[key] ?? 0) + step;
    if (count === 0) delete counts[key];
    else counts[key] = count;
  }
  if (!isRanked(by)) return { counts };
  const severities = Object.keys(counts).map((key) => key.slice(0, key.indexOf('|')) as Severity);
  const title = by === 'rule_id' ? [...texts].at(-1) : undefined;
  return {
    counts,
    total: Object.values(counts).reduce((sum, count) => sum + count, 0),
    worst: Math.max(0, ...severities.map(severityRank)),
    ...(title !== undefined && { title }),
  };
}
