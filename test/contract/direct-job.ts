import { randomUUID } from 'node:crypto';
import { AUTH_COLLECTIONS } from '../../sign-in/index.js';
import { Database } from '../../kit/store/database.js';
import { NEVER_LEASED } from '../../kit/work/due.js';
import { jobs } from '../../kit/work/jobs.js';
import { authOf } from '../gateway/support-engines.js';

/** Gives a tenant of the shared server a job that has ended and that everybody with `scans:read` may see. @returns its id */
export async function addJobDirectly(tenantId: string, mark: string): Promise<string> {
  const database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, process.env['PALISADE_TEST_DB']!, AUTH_COLLECTIONS);
  try {
    const _id = randomUUID();
    const auth = authOf('analyst', { tenant_id: tenantId, email: `${mark}@test.example` });
    const now = new Date();
    const work = { kind: 'test.work', payload: {}, auth, state: 'done', attempts: 1, due_at: null, ...NEVER_LEASED, error: null } as const;
    const followed = { readers: ['scans:read'], done: 1, total: 1, result: { text: `Result of ${mark}` } };
    await database
      .tenant(tenantId)
      .collection(jobs)
      .insert({ _id, tenant_id: tenantId, ...work, created_at: now, ...followed, started_at: now, completed_at: now });
    return _id;
  } finally {
    await database.close();
  }
}
