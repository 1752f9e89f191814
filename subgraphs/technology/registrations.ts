import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { PROVIDERS, type Provider } from '../../schema/model.js';
import { invalid, violationsOf } from '../../kit/base/errors.js';
import type { EngineContext, IngestSinks } from '../../kit/engine/context.js';
import type { SeenAsset } from '../../kit/engine/ingest-input.js';
import { defineOperation, runOperation } from '../../kit/engine/operation.js';
import { defineCollection, type RowOf } from '../../kit/store/collection.js';
import { date, nullable, number, text, textOf } from '../../kit/store/fields.js';
import { targets } from './targets.js';

/** A technology that somebody has registered; `_id` is `<tenant_id>|<resource_uid>`. The inventory forgets what nobody tells of, so it is told anew each day. */
export const technologyRegistrations = defineCollection('technology_registrations', {
  resource_uid: text,
  name: text,
  kind: nullable(text),
  product: text,
  version: nullable(text),
  host: text,
  port: nullable(number),
  provider: textOf<Provider>(),
  account_id: nullable(text),
  agent_id: nullable(text),
  registered_by: text,
  registered_at: date,
});
type RegistrationRow = RowOf<typeof technologyRegistrations>;

/** As the facet of technologies has them (`catalog/facets/technology/facet.yaml`). */
const KINDS = ['database', 'runtime', 'operating_system', 'orchestrator', 'broker', 'search', 'analytics', 'application'] as const;

const short = (most: number) => z.string().trim().min(1, 'must not be empty').max(most, `must have at most ${most} characters`);
const inputSchema = z.strictObject({
  product: short(60)
    .toLowerCase()
    .regex(/^[a-z0-9][a-z0-9_.-]*$/, 'must be of a-z 0-9 . _ -'),
  version: short(60).nullish(),
  kind: z.enum(KINDS, `must be one of ${KINDS.join(', ')}`).nullish(),
  host: short(253)
    .toLowerCase()
    .regex(/^[a-z0-9_.:[\]-]+$/, 'must be a name or an address'),
  port: z.int().min(1, 'must be at least 1').max(65_535, 'must be at most 65535').nullish(),
  name: short(200).nullish(),
  provider: z.enum(PROVIDERS, `must be one of ${PROVIDERS.join(', ')}`).nullish(),
  account_id: short(200).nullish(),
  agent_id: short(64).nullish(),
});

const agentOf = defineOperation<{ id: string }, { total: number }>(
  'agent',
  'query($id: ID!) { result: agent_hosts(agent_id: [$id], page_size: 1) { total } }',
);

/** The type under which registered technologies stand in the inventory. */
export const TECHNOLOGY_TYPE = 'technology_target';

/**
 * Registers a technology that runs on a host of the tenant's own, or says anew what is said of it, and puts it into the inventory.
 * @returns the row of the projection, in which its end of life is judged as that of a discovered one
 * @throws PalisadeError VALIDATION_ERROR
 */
export async function registerTechnology(context: EngineContext, input: unknown) {
  const parsed = inputSchema.safeParse(input);
  if (!parsed.success) throw invalid(violationsOf(parsed.error));
  const { auth, services } = context;
  const { product, host, version = null, kind = null, port = null, account_id = null, agent_id = null, ...given } = parsed.data;
  if (agent_id !== null && (await runOperation(context, agentOf, { id: agent_id })).total === 0)
    throw invalid([{ path: 'agent_id', message: 'is no agent of the tenant' }]);
  const provider = given.provider ?? (await services.ingest.importSettings(services, auth.tenant_id)).default_provider;
  if (provider === null) throw invalid([{ path: 'provider', message: 'is required: the tenant has no default' }]);
  await services.ingest.assertRoom(context);
  const resource_uid = `technology/${host}/${product}${port === null ? '' : `/${port}`}`;
  const registered_at = services.clock.now();
  const told = {
    resource_uid,
    name: given.name ?? `${product} on ${host}`,
    kind,
    product,
    version,
    host,
    port,
    provider,
    account_id,
    agent_id,
  };
  const row = { ...told, registered_by: auth.email, registered_at };
  const _id = `${auth.tenant_id}|${resource_uid}`;
  await context.transaction(async (transaction) => {
    await context.collection(technologyRegistrations).update({ _id }, { $set: row }, { upsert: true, transaction });
    await context.audit(transaction, {
      action: 'technology.register',
      actor_email: auth.email,
      role: auth.role,
      ip_address: auth.ip_address,
      target: `asset:${resource_uid}`,
      result: 'success',
      detail: { product, version, host, port },
    });
  });
  const run = { scan_run_id: `technology-${randomUUID()}`, at: registered_at };
  await services.ingest.assets(context, run, [assetOf(row)], []);
  return (await context.collection(targets.projection.rows).findOne({ resource_uid }))!;
}

const assetOf = ({
  resource_uid,
  name,
  provider,
  account_id,
  agent_id,
  ...told
}: Omit<RegistrationRow, '_id' | 'tenant_id'>): SeenAsset => ({
  ...{ resource_uid, resource_type: TECHNOLOGY_TYPE, resource_name: name, provider, region: 'global' },
  ...(account_id !== null && { account_id }),
  configuration: {
    ...{ product: told.product, host: told.host, managed: false },
    ...(told.kind !== null && { kind: told.kind }),
    ...(told.version !== null && { version: told.version }),
    ...(told.port !== null && { port: told.port }),
    ...(agent_id !== null && { agent_id }),
  },
  source: { format: 'registration', address: resource_uid },
});

/** Tells the inventory that registered technologies are still there. */
export const keepRegistered: IngestSinks['daily'] = async (context, run) => {
  let batch: SeenAsset[] = [];
  const tell = async () => {
    if (batch.length > 0) await context.services.ingest.assets(context, run, batch, []);
    batch = [];
  };
  for await (const row of context.collection(technologyRegistrations).scan({}, { batchSize: 200 })) {
    context.signal.throwIfAborted();
    if (batch.push(assetOf(row)) >= 200) await tell();
  }
  await tell();
};
