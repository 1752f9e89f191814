import type { Severity } from '../../../schema/model.js';
import { holds } from '../../../kit/base/auth-context.js';
import { badRequest, gone } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { FindingFacts } from '../../../kit/engine/finding-facts.js';
import type { EngineFilter } from '../../../kit/findings/every-filter.js';
import { changesBehind, feedEnds, type FedChange } from '../../../kit/findings/feed/read.js';
import type { ChangeKind, FeedEntry } from '../../../kit/findings/feed/records.js';
import { ITEM_FIELDS, type FindingItem } from '../../../kit/findings/item.js';
import { findingRowId, findings } from '../../../kit/findings/row.js';
import { engineScope } from '../list/reading.js';
import { readFeedCursor, writeFeedCursor } from './cursor.js';

export interface FeedArguments extends EngineFilter {
  after?: string | null;
  from?: 'oldest' | 'now' | null;
  limit?: number | null;
  kind?: readonly ChangeKind[] | null;
  severity?: readonly Severity[] | null;
}

/** Changes of an answer, and where nothing is said. */
const [MOST, USUAL] = [500, 100];

const KEPT_NO_MORE = 'The changes behind this place are kept no more: begin with from=now, and read the findings anew';

const takes =
  ({ kind, severity }: FeedArguments) =>
  (entry: FeedEntry): boolean =>
    (!kind || kind.includes(entry.kind)) &&
    (!severity || severity.includes(entry.severity) || (entry.from_severity !== undefined && severity.includes(entry.from_severity)));

/**
 * The changes behind a cursor, of the engines that the caller may read.
 * @throws PalisadeError BAD_REQUEST; GONE for a cursor behind which changes are kept no more, or that is of another state of the store
 */
export async function findingChanges(context: EngineContext, args: FeedArguments) {
  const { auth, services } = context;
  const limit = args.limit ?? USUAL;
  if (limit < 1 || limit > MOST) throw badRequest(`limit must be an integer from 1 to ${MOST}`);
  const asked = engineScope(context, args);
  const engines = asked.filter(({ permission }) => holds(auth, permission));
  const tenant = services.database.tenant(auth.tenant_id);
  const { seq: end, removed_to } = await feedEnds(tenant);
  const after = args.after == null ? (args.from === 'now' ? end : removed_to) : readFeedCursor(args.after, auth.tenant_id);
  if (after < removed_to) throw gone(KEPT_NO_MORE);
  if (after > end) throw gone('The store is an earlier one than this cursor is of: begin with from=now, and read the findings anew');
  const names = engines.map(({ engine }) => engine);
  const { changes, last } = await changesBehind(tenant, names, { after, end, limit }, takes(args));
  // retention may have removed some while they were read
  if (after < (await feedEnds(tenant)).removed_to) throw gone(KEPT_NO_MORE);
  return {
    items: await withFindings(context, engines, changes),
    next_cursor: writeFeedCursor(auth.tenant_id, last),
    has_more: last < end,
    restrictedEngines: asked.filter((facts) => !engines.includes(facts)).map(({ viewSegment }) => viewSegment),
  };
}

/** Changes as the graph gives them, with the findings as they stand now. */
async function withFindings({ auth, services }: EngineContext, engines: readonly FindingFacts[], changes: readonly FedChange[]) {
  const segments = new Map(engines.map(({ engine, viewSegment }) => [engine, viewSegment]));
  const rowId = ({ engine, id }: FedChange) => findingRowId(auth.tenant_id, engine, id);
  const ids = [...new Set(changes.map(rowId))];
  const rows = services.database
    .tenant(auth.tenant_id)
    .engines([...segments.keys()])
    .collection(findings);
  const found = ids.length === 0 ? [] : await rows.find({ _id: { $in: ids } }, { fields: ['engine', ...ITEM_FIELDS] });
  const byId = new Map(found.map((row): [string, FindingItem] => [row._id, { ...row, engine: segments.get(row.engine)! }]));
  return changes.map((change) => {
    const { id: finding_id, from_status: previous_status = null, from_severity: previous_severity = null, ...told } = change;
    return {
      ...told,
      finding_id,
      engine: segments.get(change.engine)!,
      previous_status,
      previous_severity,
      finding: byId.get(rowId(change)) ?? null,
    };
  });
}
