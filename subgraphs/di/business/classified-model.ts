import { badRequest } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { assertModelSize } from '../inventory-model.js';
import { assets } from '../records.js';
import type { Criticality, Environment } from './context.js';

const MOST = 1_000;

/** Which assets are meant: one of the members names them. */
export interface ClassifiedArguments {
  resource_uid?: string[] | null;
  criticality?: Criticality | null;
  environment?: Environment | null;
  data_class?: string[] | null;
  scan_run_id?: string | null;
  after?: string | null;
  limit: number;
}

const FIELDS = [
  ...(['resource_uid', 'resource_type', 'resource_name', 'provider', 'account_id', 'region'] as const),
  ...(['criticality', 'environment', 'data_classes', 'planned'] as const),
];

/** Some of the assets with what they are for, by resource_uid, and where the next ones begin: each is found along an index. @throws PalisadeError BAD_REQUEST */
export async function classifiedBatch(context: EngineContext, args: ClassifiedArguments) {
  const { resource_uid, criticality, environment, data_class, scan_run_id, after, limit } = args;
  if (limit < 1 || limit > MOST) throw badRequest(`limit must be from 1 to ${MOST}`);
  const asked = { criticality, environment, data_classes: data_class && { $in: data_class }, scan_run_id };
  const named = Object.entries(asked).filter(([, value]) => value != null);
  if (named.length + (resource_uid ? 1 : 0) !== 1)
    throw badRequest('one of resource_uid, criticality, environment, data_class and scan_run_id is asked for');
  if (resource_uid) assertModelSize(resource_uid);
  const uids = { ...(resource_uid && { $in: resource_uid }), ...(after != null && { $gt: after }) };
  const condition = { ...Object.fromEntries(named), ...(Object.keys(uids).length > 0 && { resource_uid: uids }) };
  const rows = await context.collection(assets).find(condition, { sort: { resource_uid: 1 }, limit, fields: FIELDS });
  const items = rows.map((row) => ({
    ...row,
    criticality: row.criticality ?? null,
    environment: row.environment ?? null,
    data_classes: row.data_classes ?? [],
    planned: row.planned === true,
  }));
  return { items, next: items.length === limit ? items.at(-1)!.resource_uid : null };
}
