import type { BackgroundTask } from '../../../kit/engine/background.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { workOffDue, type Outcome } from '../../../kit/work/due.js';
import { jobs } from '../../../kit/work/jobs.js';
import { KEPT_MS } from './job.js';
import { removePieces } from './pieces.js';
import { exportsMade, type ExportRow } from './records.js';

/** Milliseconds: for which it is known that a file was there, until a look at a file that is still written, and between two looks for what is due. */
const KNOWN_MS = 90 * 86_400_000;
const AGAIN = 3_600_000;
const POLL = 60_000;

/** Removes files that have expired, and what nobody writes any more; long after that the exports themselves. */
export const expireExports: BackgroundTask = {
  name: 'reporting.expire',
  run: (services, stopping) =>
    workOffDue<ExportRow>(
      services,
      {
        name: 'exports',
        collection: exportsMade,
        atATime: 1,
        pollMs: POLL,
        run: ({ row }) => tidy(services, row),
        failed({ row }, error) {
          services.logger.error({ err: error, export: row._id }, 'an export could not be tidied away');
          return { due_at: new Date(services.storeClock.now().getTime() + AGAIN) };
        },
      },
      stopping,
    ),
};

async function tidy({ database, storeClock }: EngineServices, row: ExportRow): Promise<Outcome<ExportRow> | null> {
  const tenant = database.tenant(row.tenant_id);
  const rows = tenant.collection(exportsMade);
  const now = storeClock.now().getTime();
  if (row.state === 'writing') {
    const job = await tenant.collection(jobs).findOne({ _id: row._id }, { fields: ['state'] });
    const isAlive = job !== null && ['queued', 'leased'].includes(job.state);
    // where the file was completed meanwhile, nothing of this happens, and the row is due when that has expired
    const state = job?.state === 'cancelled' ? 'cancelled' : 'failed';
    if (!isAlive) await rows.update({ _id: row._id, state: 'writing' }, { $set: { state, completed_at: new Date(now) } });
    return { due_at: new Date(now + (isAlive ? AGAIN : 0)), when: { state: { $in: ['writing', 'failed', 'cancelled'] } } };
  }
  // whoever asks for the file from now on is told so
  if (row.state === 'completed') await rows.update({ _id: row._id }, { $set: { state: 'expired' } });
  await removePieces(tenant, row._id);
  const known = new Date((row.completed_at ?? row.created_at).getTime() + KEPT_MS + KNOWN_MS);
  if (known.getTime() > now) return { due_at: known };
  await rows.remove({ _id: row._id });
  return null;
}
