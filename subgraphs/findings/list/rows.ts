import { badRequest, missingPermission } from '../../../kit/base/errors.js';
import { holds } from '../../../kit/base/auth-context.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { positionOf, readCursor, writeCursor } from '../../../kit/findings/cursor.js';
import type { FindingFacts } from '../../../kit/engine/finding-facts.js';
import type { EveryFilter } from '../../../kit/findings/every-filter.js';
import { ITEM_FIELDS } from '../../../kit/findings/item.js';
import { findingOrder, KEY_FIELDS } from '../../../kit/findings/order.js';
import type { FindingRow } from '../../../kit/findings/row.js';
import { selectionIn } from './joined.js';
import { firstBehind } from './list.js';

export interface FindingRowsArguments extends EveryFilter {
  of: string;
  after?: string | null;
  limit: number;
  whole: boolean;
  sort?: string | null;
}

const MOST = 1_000;
/** What a file tells of a finding beside a list's item. */
const WHOLE_FIELDS = [
  'description',
  'remediation',
  'references',
  'controls',
  'mitre_techniques',
  'mitre_tactics',
  'evidence',
  'source',
  'resolved_at',
  'absent_since',
] as const satisfies readonly (keyof FindingRow)[];

/** A run of one engine's findings that a filter selects, and where the next begins: nothing is counted. @throws PalisadeError FORBIDDEN, BAD_REQUEST */
export async function findingRows(context: EngineContext, { of, after, limit, whole, sort: asked, ...filter }: FindingRowsArguments) {
  const { auth, services } = context;
  const facts = services.findingEngines.find(({ engine }) => engine === of);
  if (!facts) throw badRequest(`${of} is no engine with findings`);
  for (const permission of ['check:read', facts.permission] as const) if (!holds(auth, permission)) throw missingPermission(permission);
  if (limit < 1 || limit > MOST) throw badRequest(`limit must be from 1 to ${MOST}`);
  const sort = findingOrder(asked);
  const database = services.database.tenant(auth.tenant_id).engine(of);
  const selectionOf = await selectionIn(context, filter);
  const fields = [...ITEM_FIELDS, ...(whole ? WHOLE_FIELDS : [])];
  const rows = await firstBehind(database, selectionOf, sort, after == null ? null : readCursor(after, sort), limit, fields);
  const items = rows.map((row) => itemOf(row, fields, facts, whole));
  const last = rows.at(-1);
  const order = rows.map((row) => Object.fromEntries(KEY_FIELDS.map((field) => [field, row[field]])));
  return { items, order, next: last && rows.length === limit ? writeCursor(positionOf(last, sort), sort) : null };
}

/** What is told of a row: written field by field, which takes a tenth of what leaving some out takes. */
function itemOf(row: Partial<FindingRow>, fields: readonly (keyof FindingRow)[], { viewSegment, ruleType }: FindingFacts, whole: boolean) {
  const item: Record<string, unknown> = { engine: viewSegment };
  for (const field of fields) if (row[field] !== undefined) item[field] = row[field];
  if (whole) item['rule_type'] = ruleType;
  return item;
}
