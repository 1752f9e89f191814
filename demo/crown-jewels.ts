import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { tenants } from '../accounts/records.js';
import { systemAuthContext } from '../kit/base/auth-context.js';
import type { EngineServices } from '../kit/engine/context.js';
import { permissionsOf } from '../schema/permissions.js';

const manifestSchema = z.array(z.strictObject({ tenant: z.string(), resource_uid: z.string(), input: z.record(z.string(), z.unknown()) }));

const READ = 'query($resource_uid: [String!]) { jewels: crown_jewels(resource_uid: $resource_uid) { items { set_at } } }';
const MARK =
  'mutation($resource_uid: ID!, $input: CrownJewelInput!) { mark_crown_jewel(resource_uid: $resource_uid, input: $input) { state } }';

/**
 * Says of some of the demo's resources what their loss costs, as an administrator does with PUT /api/v1/risk/crown-jewels, so that the demo has a loss to
 * reckon with. What somebody has said of one stays.
 */
export async function markCrownJewels(services: EngineServices): Promise<void> {
  const jewels = manifestSchema.parse(JSON.parse(readFileSync(new URL('./crown-jewels.json', import.meta.url), 'utf8')));
  for (const { tenant: tenantId, resource_uid, input } of jewels) {
    const tenant = (await services.database.tenant(tenantId).collection(tenants).findOne({ _id: tenantId }))!;
    const auth = systemAuthContext(tenant, 'tenant_admin', permissionsOf('tenant_admin'));
    const ask = async <Data>(query: string, variables: Record<string, unknown>): Promise<Data> => {
      const { data, errors } = await services.caller.call<Data>({ engine: 'risk', query, variables, auth });
      if (errors?.length) throw new Error(`${resource_uid} could not be marked: ${errors[0]!.message}`);
      return data!;
    };
    const { jewels: known } = await ask<{ jewels: { items: { set_at: string | null }[] } }>(READ, { resource_uid: [resource_uid] });
    if (known.items.some(({ set_at }) => set_at !== null)) continue;
    await ask(MARK, { resource_uid, input });
  }
}
