import { createTimeSlice } from '../../kit/base/time-slice.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { loaderOf } from '../../kit/engine/loader.js';
import type { ComputedRow } from '../../kit/projections/facet.js';
import { readAssetsByUid, readLastChanges, type LastChange } from '../../kit/read/inventory.js';
import { readSeenRequests, type SeenRequest } from '../../kit/read/seen-requests.js';
import { described } from './described.js';
import { isBelow, Operations, originOf, originsOf } from './request.js';

type Configuration = Readonly<Record<string, unknown>> | null;

/** Requests that a row names at most. */
const MOST_UNDOCUMENTED = 100;

/** An API, or the one that the description of an operation names. */
const apiOf = (uid: string, configuration: Configuration): string => {
  const api = configuration?.['api'];
  return typeof api === 'string' ? api : uid;
};

/** What came with the first description of its API is no change; it is kept as long as that is. */
const changeOf = (own: LastChange | undefined, api: LastChange | undefined): LastChange | undefined =>
  own?.event === 'added' && own.changed_at === api?.added_at ? undefined : own;

/** What scanners saw below an API, and its description does not have. */
async function undocumented(
  uid: string,
  configuration: Configuration,
  seen: readonly SeenRequest[],
  pause: () => Promise<void> | void,
): Promise<string[]> {
  const operations = configuration?.['operations'];
  if (!Array.isArray(operations)) return [];
  // as `GET /items`, below the API's address
  const named = operations.filter((one) => typeof one === 'string').map((one) => one.split(' ', 2) as [string, string]);
  const known = new Operations(named.map(([method, path]) => `${method} ${uid}${path}`));
  const unknown: string[] = [];
  for (const [name, request] of new Map(seen.map((one) => [`${one.method ?? 'ANY'} ${one.path}`, one]))) {
    if (!known.have(request)) unknown.push(name);
    await pause();
  }
  return unknown.sort().slice(0, MOST_UNDOCUMENTED);
}

const driftLoader = loaderOf(async (context: EngineContext, uids: readonly string[]) => {
  const assets = new Map((await readAssetsByUid(context, uids)).map((asset) => [asset.resource_uid, asset.configuration]));
  const apis = new Map(uids.map((uid) => [uid, apiOf(uid, assets.get(uid) ?? null)]));
  const origins = [...new Set(uids.flatMap((uid) => originOf(uid) ?? []))];
  const [changes, seen] = await Promise.all([
    readLastChanges(context, [...new Set([...uids, ...apis.values()])]),
    readSeenRequests(context, origins.flatMap(originsOf)),
  ]);
  const pause = createTimeSlice();
  const rows = [];
  for (const uid of uids) {
    const isApi = apis.get(uid) === uid;
    const of = new Set(originsOf(originOf(uid) ?? ''));
    const asked = new Operations([uid]);
    const own = seen.filter((request) => of.has(request.origin) && (isApi ? isBelow(request, uid) : asked.have(request)));
    await pause();
    const change = changeOf(changes.get(uid), changes.get(apis.get(uid)!));
    rows.push({
      change: change?.event ?? null,
      changed_at: change?.changed_at ?? null,
      scan_run_id: change?.scan_run_id ?? null,
      paths: change?.paths ?? [],
      more_paths: change?.more_paths ?? 0,
      seen_by: [...new Set(own.map(({ source }) => source))].sort(),
      undocumented: isApi ? await undocumented(uid, assets.get(uid) ?? null, own, pause) : [],
    });
  }
  return rows;
});

/** Null for what no description tells of: there is nothing that could differ. */
export const driftOf = async ({ resource_uid, resource_type }: ComputedRow, context: EngineContext) =>
  described.types.has(resource_type) ? driftLoader(context).load(resource_uid) : null;
