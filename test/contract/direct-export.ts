import { createHash, randomUUID } from 'node:crypto';
import { AUTH_COLLECTIONS } from '../../sign-in/index.js';
import { Database } from '../../kit/store/database.js';
import { NEVER_LEASED } from '../../kit/work/due.js';
import { exportPieces, exportsMade, pieceId } from '../../subgraphs/reporting/exports/records.js';

/** Gives a tenant of the shared server a file that is there, and that everybody with `check:read` may load. @returns its id */
export async function addExportDirectly(tenantId: string, mark: string): Promise<string> {
  const database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, process.env['PALISADE_TEST_DB']!, AUTH_COLLECTIONS);
  try {
    const tenant = database.tenant(tenantId);
    const _id = randomUUID();
    const bytes = Buffer.from(`finding_id,title\r\n1,Title of ${mark}\r\n`);
    const now = new Date();
    const expires_at = new Date(now.getTime() + 86_400_000);
    await tenant
      .collection(exportPieces)
      .insert({ _id: pieceId(_id, 0), tenant_id: tenantId, export_id: _id, number: 0, bytes, packed: false });
    await tenant.collection(exportsMade).insert({
      ...{ _id, tenant_id: tenantId, subject: 'findings', format: 'csv', filter: { account_id: [`${mark}-account`] } },
      ...{ engines: ['check'], permissions: ['check:read'], title: 'Findings' },
      ...{ owner_id: `${mark}-user`, created_by: `${mark}@test.example`, report_id: null, state: 'completed', reason: null },
      ...{ rows: 1, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), pieces: 1, notes: {} },
      ...{ created_at: now, completed_at: now, expires_at, ...NEVER_LEASED, due_at: expires_at },
    });
    return _id;
  } finally {
    await database.close();
  }
}
