import type { FindingStatus } from '../../schema/model.js';
import { auditLog } from '../audit/audit.js';
import { entriesOf } from '../audit/entries.js';
import type { EngineContext } from '../engine/context.js';
import { badRequest } from '../base/errors.js';
import type { FindingFacts } from '../engine/finding-facts.js';
import { askedFilters, findingCondition, type FindingFilter } from './filters.js';
import { ITEM_FIELDS, type FindingItem } from './item.js';
import { DEFAULT_SORT, findingOrder } from './order.js';
import { readPage } from './page.js';
import { readableEngines } from './present-owner.js';
import { countFindings } from './query.js';
import { findingRowId, findings, findingTargets, type FindingRow } from './row.js';
import { ticketLink } from './ticket.js';
import { MAX_PAGE_SIZE, pageWindow, toPage, type Page, type PageArguments } from '../store/paging.js';
import { pageOf, searchOnce } from './search.js';
import { summarize } from './summary.js';
import { triageFindings, type Triaged } from './triage/write.js';

/** Resources asked for at once by a fan-out. */
const MAX_RESOURCES = 200;
/** Findings asked for at once by id. */
export const MAX_IDS = 1_000;

const segmentOf = ({ services }: EngineContext, engine: string): string =>
  services.findingEngines.find((facts) => facts.engine === engine)?.viewSegment ?? engine;

/** Reading and triage of one engine's findings, within the caller's tenant. */
export class FindingService {
  constructor(
    private readonly facts: FindingFacts,
    private readonly context: EngineContext,
  ) {}

  async list(args: FindingFilter & PageArguments & { sort?: string | null }): Promise<Page<FindingItem>> {
    const window = pageWindow(args);
    const sort = findingOrder(args.sort);
    const counting = countFindings(this.own, args);
    // what nothing matches may be looked for in every row
    const mayBeEmpty = window.skip > 0 || askedFilters(args).length > 0;
    if (mayBeEmpty && (await counting) <= window.skip) return toPage([], await counting, window);
    const keys = args.q ? (await searchOnce(this.own, args)).keys : null;
    const reading = keys ? this.inOrder(pageOf(keys, sort, window).map(({ _id }) => _id)) : readPage(this.own, args, sort, window);
    const [items, total] = await Promise.all([reading, counting]);
    return toPage(
      items.map((row) => this.item(row)),
      total,
      window,
    );
  }

  async summary(filter: FindingFilter) {
    return { engine: this.facts.viewSegment, ...(await summarize(this.own, filter)) };
  }

  async find(id: string): Promise<FindingRow | null> {
    return this.rows.findOne({ _id: this.rowId(id) });
  }

  async record(id: string) {
    const found = await this.find(id);
    if (!found) return null;
    const readable = readableEngines(this.context.services, this.context.auth);
    const { shownEvidence } = this.facts;
    const row = shownEvidence ? { ...found, evidence: shownEvidence(found.evidence, (engine) => readable.includes(engine)) } : found;
    const subcategory = this.facts.subcategory(row);
    return {
      ...row,
      evidence: row.other_sources?.length ? { ...row.evidence, reported_by: [row.source, ...row.other_sources] } : row.evidence,
      finding: this.item(row),
      former_engines: row.former_engines.map((engine) => segmentOf(this.context, engine)),
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
        const rows = await this.rows.find(findingCondition({ resource_uid: [resource_uid] }), {
          sort: DEFAULT_SORT,
          limit,
          fields: ITEM_FIELDS,
        });
        return { resource_uid, items: rows.map((row) => this.item(row)) };
      }),
    );
  }

  /** Moves a finding by hand: row, counters and audit entry in one transaction (decisions 17, 20). */
  async setStatus(id: string, asked: FindingStatus, note: string | null, expectedVersion: number | null) {
    const { auth, services } = this.context;
    const changed_at = services.clock.now();
    const batch = { ids: [id], asked: { status: asked, note, version: expectedVersion }, at: changed_at, allOrNothing: true };
    const [moved] = await this.context.transaction((transaction) => triageFindings(this.context, this.facts, batch, transaction));
    const { before, change } = moved as Triaged & { error: null };
    return {
      finding_id: id,
      engine: this.facts.viewSegment,
      status: change.status!,
      previous_status: before.status,
      note,
      changed_by: auth.email,
      changed_at,
      version: change.version!,
    };
  }

  /** What the audit log tells of one finding, newest first; null when the tenant has none of this id. */
  async timeline(id: string, args: PageArguments) {
    const window = pageWindow(args);
    const row = await this.rows.findOne({ _id: this.rowId(id) }, { fields: ['engine', 'finding_id', 'former_engines'] });
    if (!row) return null;
    const entries = this.context.collection(auditLog);
    const targets = findingTargets(row);
    const filter = { target: targets.length === 1 ? targets[0] : { $in: targets } };
    const [rows, total] = await Promise.all([
      entries.find(filter, { sort: { seq: -1 }, skip: window.skip, limit: window.limit }),
      entries.count(filter),
    ]);
    const told = rows.flatMap(entriesOf).filter(({ target }) => targets.includes(target!));
    const events = told.map(({ seq, action, timestamp, actor_email, detail }) => ({
      from: null,
      to: null,
      note: null,
      scan_run_id: null,
      assignee: null,
      due_at: null,
      ...detail,
      seq,
      action,
      at: timestamp,
      actor_email,
    }));
    return toPage(events, total, window);
  }

  private get own() {
    return this.context.services.database.tenant(this.context.auth.tenant_id).engine(this.facts.engine);
  }

  private get rows() {
    return this.context.collection(findings);
  }

  private rowId(id: string): string {
    return findingRowId(this.context.auth.tenant_id, this.facts.engine, id);
  }

  /** Findings by `_id`, in the order of the ids. */
  private async inOrder(ids: readonly string[]): Promise<FindingRow[]> {
    const rows = new Map((await this.rows.find({ _id: { $in: ids } }, { fields: ITEM_FIELDS })).map((row) => [row._id, row]));
    return ids.flatMap((id) => rows.get(id) ?? []);
  }

  private item(row: FindingRow): FindingItem {
    return { ...row, engine: this.facts.viewSegment };
  }
}
