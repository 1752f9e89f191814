import { auditLog, type AuditRow } from '../../../kit/audit/audit.js';
import { entriesOf, sizeOf, type AuditEntry } from '../../../kit/audit/entries.js';
import { SHARED_ACTIONS } from '../../../kit/audit/entry.js';
import type { Database, TenantDatabase } from '../../../kit/store/database.js';
import type { Filter } from '../../../kit/store/query.js';
import { endsOfLog, KeptTotals, type LogCount, type LogEnds } from './total.js';

/** What entries are asked for. All of it but `targets` holds for a row as a whole. */
export interface EntryCondition {
  readonly actions: readonly string[] | null;
  readonly targets: readonly string[] | null;
  readonly result: AuditRow['result'] | null;
  /** Of the other fields of a row. */
  readonly rest: Filter;
}

interface EntryPage {
  readonly items: AuditEntry[];
  readonly total: number;
}

const totals = new WeakMap<Database, KeptTotals>();

/** What of a row tells how many of its entries are meant. */
const LIGHT = ['seq', 'first_seq'] as const;
const NEWEST = { seq: -1 } as const;

/** Pages of the entries of a tenant's audit log, newest first, where several may share a row. */
export class EntryPages {
  private readonly filter: Filter;
  private readonly tenant: TenantDatabase;

  constructor(
    private readonly database: Database,
    private readonly tenantId: string,
    private readonly condition: EntryCondition,
  ) {
    const { actions, targets, result, rest } = condition;
    this.tenant = database.tenant(tenantId);
    this.filter = {
      ...rest,
      ...(actions && { action: { $in: actions } }),
      ...(targets && { target: { $in: targets } }),
      ...(result && { result }),
    };
  }

  /** Entries at the places `skip` and following, at most `limit`, and how many there are in all. */
  async read(skip: number, limit: number): Promise<EntryPage> {
    const ends = await endsOfLog(this.tenant);
    if (!ends) return { items: [], total: 0 };
    const { rows, entries: total } = await this.count(ends);
    if (total <= skip) return { items: [], total };
    // numbers without a gap tell where a page begins
    const isWhole = Object.keys(this.filter).length === 0 && total === ends.last - ends.first + 1;
    if (isWhole) return { items: await this.from(ends.last - skip, limit), total };
    const filter = { ...this.filter, seq: { $lte: ends.last } };
    // each row holds one entry that is meant
    if (rows === total) {
      const found = await this.rows.find(filter, { sort: NEWEST, skip, limit });
      return { items: found.flatMap((row) => this.meant(row)), total };
    }
    const held = await this.rowsOf(filter, skip, skip + limit);
    const found = held.rows === 0 ? [] : await this.rows.find(filter, { sort: NEWEST, skip: held.skip, limit: held.rows });
    const entries = found.flatMap((row) => this.meant(row).reverse());
    return { items: entries.slice(skip - held.before, skip - held.before + limit), total };
  }

  private get rows() {
    return this.tenant.collection(auditLog);
  }

  /** How many rows and entries up to the last one are meant. */
  private count(ends: LogEnds): Promise<LogCount> {
    let kept = totals.get(this.database);
    if (!kept) totals.set(this.database, (kept = new KeptTotals()));
    return kept.count(JSON.stringify([this.tenantId, this.filter]), ends, async (after, last) => {
      const between = { seq: { $gt: after, $lte: last } };
      const [rows, more] = await Promise.all([this.countRows(between), this.sharing(between)]);
      return { rows, entries: rows + more };
    });
  }

  /** Few entries are of failures, and have an index: the others are what is left. */
  private async countRows(between: Filter): Promise<number> {
    const { result, ...others } = { ...this.filter, ...between } as Filter & Pick<EntryCondition, 'result'>;
    if (!result) return this.rows.count(others);
    const failures = await this.rows.count({ ...others, result: 'failure' });
    return result === 'failure' ? failures : (await this.rows.count(others)) - failures;
  }

  /** The entries whose numbers are `newest` and below, in a log without gaps. */
  private async from(newest: number, limit: number): Promise<AuditEntry[]> {
    const first = await this.rows.findOne({ seq: { $gte: newest } }, { sort: { seq: 1 }, fields: ['seq'] });
    const found = first ? await this.rows.find({ seq: { $lte: first.seq } }, { sort: NEWEST, limit }) : [];
    const entries = found.flatMap((row) => entriesOf(row).reverse());
    return entries.filter(({ seq }) => seq <= newest).slice(0, limit);
  }

  /** The entries of a row that are asked for. */
  private meant(row: AuditRow): AuditEntry[] {
    const { targets } = this.condition;
    return entriesOf(row).filter(({ target }) => targets === null || targets.includes(target!));
  }

  /** By how many the entries are more than their rows. */
  private async sharing(between: Filter): Promise<number> {
    const { actions, targets } = this.condition;
    const shared = SHARED_ACTIONS.filter((action) => actions === null || actions.includes(action));
    if (shared.length === 0) return 0;
    const filter = { ...this.filter, ...between, action: { $in: shared }, first_seq: { $gt: 0 } };
    if (targets === null) {
      const pipeline = [{ $match: filter }, { $group: { _id: null, more: { $sum: { $subtract: ['$seq', '$first_seq'] } } } }];
      const [sum] = await this.rows.aggregate<{ more: number }>(pipeline);
      return sum?.more ?? 0;
    }
    const found = await this.rows.find(filter, { fields: [...LIGHT, 'target'] });
    return found.reduce((sum, row) => sum + this.meant(row).length - 1, 0);
  }

  /** The rows that hold the entries from the place `start` on, up to the place `end`: how many, and rows and entries before them. */
  private async rowsOf(filter: Filter, start: number, end: number): Promise<{ rows: number; skip: number; before: number }> {
    const { targets } = this.condition;
    const held = { rows: 0, skip: 0, before: 0 };
    let entries = 0;
    const fields = targets ? [...LIGHT, 'target'] : LIGHT;
    for await (const row of this.rows.scan(filter, { sort: NEWEST, fields, batchSize: end - start })) {
      entries += targets ? this.meant(row).length : sizeOf(row);
      if (entries > start) held.rows += 1;
      else [held.skip, held.before] = [held.skip + 1, entries];
      if (entries >= end) break;
    }
    return held;
  }
}
