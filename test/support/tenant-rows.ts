import { mongo } from 'mongoose';
import type { Database } from '../../kit/store/database.js';
import { collectionsOf } from '../../processes/services.js';
import { engines } from '../../subgraphs/index.js';

/** The collections whose rows belong to a tenant. */
export const collectionsOfTenants = collectionsOf(engines).filter(({ schema }) => schema.path('tenant_id') !== undefined);

/** Every row of a tenant, byte for byte, by collection. @param database opened with the collections of the deployment */
export async function tenantRows(database: Database, tenantId: string): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const definition of collectionsOfTenants) {
    const rows = await database
      .tenant(tenantId)
      .ofAllEngines<object>(definition)
      .find({}, { sort: { _id: 1 } });
    found[definition.name] = rows.map((row) => Buffer.from(mongo.BSON.serialize(row)).toString('base64'));
  }
  return found;
}
