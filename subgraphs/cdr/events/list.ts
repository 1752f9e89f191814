import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import type { EngineContext } from '../../../kit/engine/context.js';
import { loaderOf } from '../../../kit/engine/loader.js';
import { bytesOf } from '../../../kit/store/fields.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import { readUsage } from '../../../kit/store/tenant-usage.js';
import { STORED_EVENTS } from './ingest.js';
import { cloudEventCoverage, cloudEventRecords, cloudEvents, tenantPrefix, timeText, type CloudEventRow } from './records.js';

export interface EventFilter extends PageArguments {
  actor?: string[] | null;
  action?: string[] | null;
  resource?: string[] | null;
  after?: Date | null;
  before?: Date | null;
  provider?: string[] | null;
  account_id?: string[] | null;
  outcome?: string[] | null;
}

/** Filters and the columns that they go by. */
const COLUMNS = {
  ...{ actor: 'actor', action: 'action', resource: 'resources' },
  ...{ provider: 'provider', account_id: 'account_id', outcome: 'outcome' },
} as const;
const anyOf = (values: readonly string[]) => (values.length === 1 ? values[0] : { $in: values });

/** Events, newest first. */
export async function listEvents(context: EngineContext, args: EventFilter) {
  const window = pageWindow(args);
  const { tenant_id } = context.auth;
  const condition: Record<string, unknown> = {};
  for (const [name, column] of Object.entries(COLUMNS) as [keyof typeof COLUMNS, string][]) {
    const values = args[name];
    if (values) condition[column] = anyOf(values);
  }
  const isAll = Object.keys(condition).length === 0 && !args.after && !args.before;
  const prefix = tenantPrefix(tenant_id);
  condition['_id'] = {
    $gte: args.after ? `${prefix}${timeText(args.after)}` : prefix,
    $lt: args.before ? `${prefix}${timeText(args.before)}` : `${prefix}~`,
  };
  const rows = context.collection(cloudEvents);
  const [items, total] = await Promise.all([
    rows.find(condition, { sort: { _id: -1 }, skip: window.skip, limit: window.limit }),
    isAll ? readUsage(context.services.database.tenant(tenant_id), STORED_EVENTS) : rows.count(condition),
  ]);
  return toPage(items, total ?? 0, window);
}

/** What stands behind the tenant's prefix in the id of a row. */
export const eventUid = ({ _id }: Pick<CloudEventRow, '_id'>): string => _id.slice(_id.indexOf('|') + 1);

export const findEvent = (context: EngineContext, uid: string): Promise<CloudEventRow | null> =>
  context.collection(cloudEvents).findOne({ _id: `${tenantPrefix(context.auth.tenant_id)}${uid}` });

const inflate = promisify(inflateRaw);

type Line = Pick<CloudEventRow, 'pack' | 'line'>;

/** Records of events as JSON; null for one that is no more. Of each pack the lines that are asked for stay in memory. */
const records = loaderOf(async (context: EngineContext, wanted: readonly Line[]): Promise<(string | null)[]> => {
  const packs = new Map<string, string[]>();
  const ids = [...new Set(wanted.map(({ pack }) => pack))];
  for await (const { _id, records: packed } of context.collection(cloudEventRecords).scan({ _id: { $in: ids } }, { batchSize: 20 })) {
    const lines = (await inflate(bytesOf(packed))).toString().split('\n');
    const own: string[] = [];
    for (const { pack, line } of wanted) if (pack === _id) own[line] = lines[line] ?? '{}';
    packs.set(_id, own);
  }
  return wanted.map(({ pack, line }) => packs.get(pack)?.[line] ?? null);
});

/** The event as its log tells it. */
export async function recordOf({ pack, line }: CloudEventRow, context: EngineContext): Promise<unknown> {
  return JSON.parse((await records(context).load({ pack, line })) ?? '{}') as unknown;
}

export interface CoverageFilter extends PageArguments {
  provider?: string[] | null;
  account_id?: string[] | null;
}

export async function listCoverage(context: EngineContext, args: CoverageFilter) {
  const window = pageWindow(args);
  const condition: Record<string, unknown> = {};
  for (const name of ['provider', 'account_id'] as const) if (args[name]) condition[name] = { $in: args[name] };
  const rows = context.collection(cloudEventCoverage);
  const [items, total] = await Promise.all([
    rows.find(condition, { sort: { provider: 1, account_id: 1, log: 1 }, skip: window.skip, limit: window.limit }),
    rows.count(condition),
  ]);
  return toPage(items, total, window);
}
