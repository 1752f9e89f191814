import type { FindingStatus } from '../../schema/model.js';
import { auditLog } from '../audit/audit.js';
import type { EngineContext } from '../engine/context.js';
import { badRequest, notFound, preconditionFailed } from '../base/errors.js';
import { CounterChanges, sumCells } from './counters.js';
import type { FindingFacts } from '../engine/finding-facts.js';
import { countedCells, countFindings, findingCondition, findingOrder, type FindingFilter } from './query.js';
import { findingRowId, type FindingRow } from './row.js';
import { findingCollection, findingTarget } from './store.js';
import { ticketLink } from './ticket.js';
import { assertMove } from './lifecycle.js';
import { MAX_PAGE_SIZE, pageWindow, toPage, type Page, type PageArguments } from '../store/paging.js';
import { severityOfRank } from './risk-score.js';

/** A finding as the graph gives it. */
export type FindingItem = Omit<FindingRow, '_id' | 'tenant_id'> & { engine: string };

/** What a list item reads of a row: everything but the long parts. */
const ITEM_FIELDS = [
  'finding_id',
  'rule_id',
  'title',
  'severity',
  'status',
  'risk_score',
  'provider',
  'account_id',
  'region',
  'resource_type',
  'resource_uid',
  'resource_name',
  'scan_run_id',
  'first_seen_at',
  'last_seen_at',
  'regressed_at',
  'version',
  'provider_metadata',
] as const;
const TOP = 10;
/** Resources asked for at once by a fan-out. */
const MAX_RESOURCES = 200;
/** Findings asked for at once by id. */
export const MAX_IDS = 1_000;
const WORST_FIRST = { severity_rank: -1, last_seen_at: -1, finding_id: 1 } as const;

/** Reading and triage of one engine's findings, within the caller's tenant. */
export class FindingService {
  constructor(
    private readonly facts: FindingFacts,
    private readonly context: EngineContext,
  ) {}

  async list(args: FindingFilter & PageArguments & { sort?: string | null }): Promise<Page<FindingItem>> {
    const window = pageWindow(args);
    const sort = findingOrder(args.sort);
    const [items, total] = await Promise.all([
      this.rows.find(findingCondition(args), { sort, skip: window.skip, limit: window.limit, fields: ITEM_FIELDS }),
      countFindings(this.tenant, this.rows, this.facts.engine, args),
    ]);
    return toPage(
      items.map((row) => this.item(row)),
      total,
      window,
    );
  }

  async summary(filter: FindingFilter) {
    const [cells, topRules, topResources] = await Promise.all([
      countedCells(this.tenant, this.facts.engine, filter),
      this.top('rule_id', 'title', filter),
      this.top('resource_uid', 'resource_type', filter),
    ]);
    const sums = sumCells(cells ?? (await this.countedByScan(filter)));
    return { engine: this.facts.viewSegment, ...sums, top_rules: topRules, top_resources: topResources };
  }

  async find(id: string): Promise<FindingRow | null> {
    return this.rows.findOne({ _id: this.rowId(id) });
  }

  async record(id: string) {
    const row = await this.find(id);
    if (!row) return null;
    const subcategory = this.facts.subcategory(row);
    return {
      ...row,
      finding: this.item(row),
      ticket: row.ticket ? ticketLink(this.facts, row, row.ticket) : null,
      extensions: this.facts.extensions(row),
      rule_type: this.facts.ruleType,
      module: this.facts.module.code,
      module_label: this.facts.module.label,
      subcategory: subcategory.code,
      subcategory_label: subcategory.label,
    };
  }

  /** The findings of these ids that the tenant has. */
  async byId(ids: readonly string[]): Promise<FindingItem[]> {
    if (ids.length > MAX_IDS) throw badRequest(`finding_ids must name at most ${MAX_IDS} findings`);
    const rows = await this.rows.find({ _id: { $in: ids.map((id) => this.rowId(id)) } }, { fields: ITEM_FIELDS });
    return rows.map((row) => this.item(row));
  }

  /** The worst findings of each resource, `limit` a resource, in the order of `resourceUids`. */
  async onResources(resourceUids: readonly string[], limit: number): Promise<{ resource_uid: string; items: FindingItem[] }[]> {
    if (resourceUids.length > MAX_RESOURCES) throw badRequest(`resource_uids must name at most ${MAX_RESOURCES} resources`);
    if (limit < 1 || limit > MAX_PAGE_SIZE) throw badRequest(`limit must be from 1 to ${MAX_PAGE_SIZE}`);
    return Promise.all(
      resourceUids.map(async (resource_uid) => {
        const rows = await this.rows.find({ resource_uid, hidden: false }, { sort: WORST_FIRST, limit, fields: ITEM_FIELDS });
        return { resource_uid, items: rows.map((row) => this.item(row)) };
      }),
    );
  }

  /** Moves a finding by hand: row, counters and audit entry in one transaction (decisions 17, 20). */
  async setStatus(id: string, status: FindingStatus, note: string | null, expectedVersion: number | null) {
    const { auth, services } = this.context;
    const changed_at = services.clock.now();
    return this.context.transaction(async (transaction) => {
      const before = await this.rows.findOne({ _id: this.rowId(id) }, { transaction });
      if (!before) throw notFound('Finding');
      if (expectedVersion !== null && expectedVersion !== before.version)
        throw preconditionFailed(`The finding has version ${before.version}`);
      assertMove(before.status, status);
      const change = {
        status,
        hidden: status === 'SUPPRESSED',
        version: before.version + 1,
        resolved_at: status === 'RESOLVED' ? changed_at : null,
      };
      await this.rows.update({ _id: before._id }, { $set: change }, { transaction });
      const counters = new CounterChanges();
      counters.move(before, { ...before, ...change });
      await counters.write(this.tenant, this.facts.engine, transaction);
      await this.context.audit(transaction, {
        action: status === 'SUPPRESSED' ? 'finding.suppress' : 'finding.status',
        actor_email: auth.email,
        role: auth.role,
        ip_address: auth.ip_address,
        target: findingTarget(this.facts.engine, id),
        result: 'success',
        detail: { from: before.status, to: status, note },
      });
      return {
        finding_id: id,
        engine: this.facts.viewSegment,
        status,
        previous_status: before.status,
        note,
        changed_by: auth.email,
        changed_at,
        version: change.version,
      };
    });
  }

  /** What the audit log tells of one finding, newest first; null when the tenant has none of this id. */
  async timeline(id: string, args: PageArguments) {
    const window = pageWindow(args);
    if (!(await this.rows.findOne({ _id: this.rowId(id) }, { fields: ['finding_id'] }))) return null;
    const entries = this.context.collection(auditLog);
    const filter = { target: findingTarget(this.facts.engine, id) };
    const [rows, total] = await Promise.all([
      entries.find(filter, { sort: { seq: -1 }, skip: window.skip, limit: window.limit }),
      entries.count(filter),
    ]);
    const events = rows.map(({ seq, action, timestamp, actor_email, detail }) => ({
      from: null,
      to: null,
      note: null,
      scan_run_id: null,
      ...detail,
      seq,
      action,
      at: timestamp,
      actor_email,
    }));
    return toPage(events, total, window);
  }

  private get tenant() {
    return this.context.services.database.tenant(this.context.auth.tenant_id);
  }

  private get rows() {
    return this.context.collection(findingCollection(this.facts.engine));
  }

  private rowId(id: string): string {
    return findingRowId(this.context.auth.tenant_id, id);
  }

  private item(row: FindingRow): FindingItem {
    return { ...row, engine: this.facts.viewSegment };
  }

  private async top(key: 'rule_id' | 'resource_uid', label: 'title' | 'resource_type', filter: FindingFilter) {
    const groups = await this.rows.aggregate<{ _id: string; label: string; worst: number; count: number }>([
      { $match: findingCondition(filter) },
      { $group: { _id: `$${key}`, label: { $first: `$${label}` }, worst: { $max: '$severity_rank' }, count: { $sum: 1 } } },
      { $sort: { count: -1, worst: -1, _id: 1 } },
      { $limit: TOP },
    ]);
    return groups.map((group) => ({ [key]: group._id, [label]: group.label, severity: severityOfRank(group.worst), count: group.count }));
  }

  private async countedByScan(filter: FindingFilter) {
    const groups = await this.rows.aggregate<{ _id: Pick<FindingRow, 'severity' | 'status' | 'provider'>; count: number }>([
      { $match: findingCondition(filter) },
      { $group: { _id: { severity: '$severity', status: '$status', provider: '$provider' }, count: { $sum: 1 } } },
    ]);
    return groups.map(({ _id, count }) => ({ ..._id, count }));
  }
}
