import type { EngineContext, IngestSinks } from '../../../kit/engine/context.js';
import { deriveLatest, type DerivedWrite } from '../../../kit/engine/kept-rows.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import type { ExposureLevel } from '../../../schema/model.js';
import type { RunStart } from '../../../kit/engine/ingest-input.js';
import type { ReadAsset } from '../../../kit/read/inventory.js';
import type { Exposure } from '../../../catalog/network/types.js';
import type { ExposedAsset } from '../network-thread.js';
import { toldExposure } from './told.js';
import { withNetworks, type Networks } from '../networks.js';
import { networkExposures, RANKS, type NetworkExposureRow } from './records.js';
import { digestOf } from '../../../kit/store/row-id.js';

type Place = Pick<NetworkExposureRow, 'resource_uid' | 'resource_type' | 'resource_name' | 'provider' | 'account_id' | 'region'>;

/** Rows that are removed in one transaction. */
const BATCH = 500;

/**
 * Brings the exposures of a tenant in step with its networks. What has not changed is not written; killed in the middle, the next one does what is
 * left.
 */
export const deriveExposures: IngestSinks['derive'] = async (context, run) => {
  const places = new Map<string, Place>();
  const told = new Map<string, Exposure>();
  const keep = ({ resource_uid, resource_type, resource_name, provider, account_id, region, facts }: ReadAsset) => {
    places.set(resource_uid, { resource_uid, resource_type, resource_name, provider, account_id, region });
    const exposure = toldExposure(facts);
    if (exposure !== null) told.set(resource_uid, exposure);
  };
  await deriveLatest(context, networkExposures.name, (write) =>
    withNetworks(context, (networks) => writeAll(context, run, write, networks, { places, told }), keep),
  );
};

async function writeAll(
  context: EngineContext,
  run: RunStart,
  write: DerivedWrite,
  networks: Networks,
  { places, told }: { places: ReadonlyMap<string, Place>; told: ReadonlyMap<string, Exposure> },
): Promise<void> {
  const own = context.collection(networkExposures);
  const { services, auth } = context;
  const note = (exposures: ReadonlyMap<string, ExposureLevel | null>, transaction: TransactionOf) =>
    services.ingest.exposures(services, auth.tenant_id, exposures, transaction);
  const left = new Map<string, { digest: string; resource_uid: string }>();
  for await (const { _id, digest, resource_uid } of own.scan({}, { fields: ['digest', 'resource_uid'] }))
    left.set(_id, { digest, resource_uid });
  for await (const page of allExposures(context, networks, told)) {
    const rows = page.map((exposed) => rowOf(context.auth.tenant_id, run, exposed, places.get(exposed.resource_uid)!));
    const changed = rows.filter(({ _id, digest }) => left.get(_id)?.digest !== digest);
    for (const { _id } of rows) left.delete(_id);
    await write(async (transaction) => {
      await own.bulkUpdate(
        changed.map(({ _id, tenant_id: _, ...row }) => ({ _id, update: { $set: row }, upsert: true })),
        { transaction },
      );
      await note(new Map(changed.map(({ resource_uid, exposure }) => [resource_uid, exposure])), transaction);
    });
  }
  const gone = [...left];
  for (let at = 0; at < gone.length; at += BATCH)
    await write(async (transaction) => {
      const part = gone.slice(at, at + BATCH);
      await own.remove({ _id: { $in: part.map(([_id]) => _id) } }, { transaction });
      await note(new Map(part.map(([, { resource_uid }]) => [resource_uid, null])), transaction);
    });
}

/** What the networks say page by page; where they leave it open, and of what nobody describes, what scanners have told. */
async function* allExposures(
  context: EngineContext,
  networks: Networks,
  told: ReadonlyMap<string, Exposure>,
): AsyncGenerator<readonly ExposedAsset[]> {
  const rest = new Map(told);
  for (let from: number | null = 0; from !== null;) {
    context.signal.throwIfAborted();
    const page = (await networks.ask({ exposures: { from } })) as { items: ExposedAsset[]; next: number | null };
    yield page.items.map((exposed) => {
      const { resource_uid, exposure } = exposed;
      rest.delete(resource_uid);
      return { ...exposed, ...(exposure === 'unknown' && told.get(resource_uid)) };
    });
    from = page.next;
  }
  const others = [...rest].map(([resource_uid, exposure]) => ({ resource_uid, ...exposure }));
  for (let at = 0; at < others.length; at += BATCH) yield others.slice(at, at + BATCH);
}

function rowOf(tenant_id: string, run: RunStart, exposed: ExposedAsset, place: Place): NetworkExposureRow {
  const { resource_uid, exposure, ports, sources, path } = exposed;
  const said = { ...place, exposure, rank: RANKS[exposure], ports, sources, path };
  return { _id: `${tenant_id}|${digestOf(resource_uid)}`, tenant_id, ...said, digest: digestOf(said), changed_at: run.at };
}
