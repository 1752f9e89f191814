import { periodicTasks } from '../../kit/engine/background.js';
import type { CollectionDefinition } from '../../kit/store/collection.js';
import { changeRows } from '../../kit/store/change-rows.js';
import type { Migration } from '../../kit/store/migration.js';
import { NEVER_LEASED, type DueRow } from '../../kit/work/due.js';
import { jobs } from '../../kit/work/jobs.js';
import { engines } from '../../subgraphs/index.js';

/** What rows of these collections held before, as far as it changes. */
interface OldRow {
  _id: string;
  state?: string;
  enabled?: boolean;
  created_at?: Date;
  leased_until?: Date | null;
  next_at?: Date | null;
  due_at?: Date | null;
}

/** What the rows of a collection are set to. No worker of the release before lives any more, so what it held is free. */
interface Change {
  readonly collection: CollectionDefinition<DueRow>;
  fieldsOf(row: OldRow): { due_at: Date | null; first_due_at?: Date | null };
}

/** A collection that an engine holds, by its name. */
const ofEngine = (name: string): CollectionDefinition<DueRow> =>
  engines.flatMap(({ collections }) => collections).find((one) => one.name === name) as never;

const CHANGES: readonly Change[] = [
  {
    collection: jobs as never,
    // a job that was to be tried later held the time in its lease
    fieldsOf: ({ state, leased_until, created_at }) => ({
      due_at: state === 'queued' || state === 'leased' ? (leased_until ?? created_at!) : null,
    }),
  },
  {
    collection: ofEngine('notifications'),
    fieldsOf: ({ next_at, due_at }) => ({ due_at: next_at ?? null, first_due_at: due_at ?? null }),
  },
  { collection: ofEngine('siem_exports'), fieldsOf: ({ enabled, next_at }) => ({ due_at: enabled ? (next_at ?? new Date(0)) : null }) },
  { collection: periodicTasks, fieldsOf: ({ next_at }) => ({ due_at: next_at ?? new Date(0) }) },
];

/** Rows that workers take say in the same fields when they are due and whose they are. */
export const dueRows: Migration = {
  name: '2026-11-due-rows',
  async run(migrating) {
    // what has no number of its lease was not changed yet
    for (const { collection, fieldsOf } of CHANGES)
      await changeRows(migrating, collection, { lease_no: null }, (row) => ({
        $set: { ...fieldsOf(row as unknown as OldRow), ...NEVER_LEASED },
        $unset: { next_at: 1 },
      }));
  },
};
