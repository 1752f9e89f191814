import { randomUUID } from 'node:crypto';
import { AUTH_COLLECTIONS } from '../../sign-in/index.js';
import { Database } from '../../kit/store/database.js';
import { openMasterKey } from '../../kit/keys/master-key.js';
import { sealCredentials } from '../../subgraphs/events/integrations/credentials.js';
import { integrations } from '../../subgraphs/events/integrations/records.js';

/** Gives a tenant of the shared server, which may call nobody, an integration that passed its test. @returns its id */
export async function addIntegrationDirectly(tenantId: string, mark: string): Promise<string> {
  const database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, process.env['PALISADE_TEST_DB']!, AUTH_COLLECTIONS);
  try {
    const _id = randomUUID();
    const masterKey = openMasterKey({ PALISADE_SECRET: process.env['PALISADE_TEST_SECRET'], dataDir: null });
    await database
      .tenant(tenantId)
      .collection(integrations)
      .insert({
        _id,
        tenant_id: tenantId,
        kind: 'email',
        name: `Mail of ${mark}`,
        state: 'active',
        settings: { recipients: [`${mark}@test.example`] },
        credentials: sealCredentials(masterKey, _id, {}),
        created_by: `${mark}@test.example`,
        created_at: new Date(),
        updated_at: new Date(),
      });
    return _id;
  } finally {
    await database.close();
  }
}
