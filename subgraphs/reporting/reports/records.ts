import type { AuthContext } from '../../../kit/base/auth-context.js';
import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, flag, list, nullable, object, optional, text, textOf } from '../../../kit/store/fields.js';
import { SCHEDULED_FIELDS, SCHEDULED_INDEX } from '../../../kit/work/schedule.js';
import type { SubjectKind } from '../formats/format.js';
import type { Filter } from '../subjects/subject.js';

/** What came of a file that is to go into a bucket. */
export interface FilePut {
  integration_id: string;
  state: 'RUNNING' | 'COMPLETED' | 'FAILED';
  /** The name that it has in the bucket. */
  key: string | null;
  reason: string | null;
  completed_at: Date | null;
}

/** One file of a run. */
export interface RunFile {
  export_id: string;
  state: 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELLED';
  reason: string | null;
  /** Absent until the run is over, and where the report has no buckets. */
  puts?: FilePut[];
}

/** What came of a firing. */
export interface ReportRun {
  fired_at: Date;
  state: 'RUNNING' | 'COMPLETED' | 'FAILED';
  /** Why there are no files; null where there are. */
  reason: string | null;
  files: RunFile[];
  completed_at: Date | null;
}

export interface Recipient {
  user_id: string;
  email: string;
}

/** Reports that are kept; `_id` is `<tenant>|<id>`. */
export const reports = defineCollection(
  'reports',
  {
    report_id: text,
    name: text,
    format: text,
    subject: textOf<SubjectKind>(),
    /** What each of its files holds. */
    filters: list(object<Filter>()),
    recipients: list(object<Recipient>()),
    /** Integrations into whose buckets its files go; rows of earlier releases have none. */
    buckets: optional(list(text)),
    enabled: flag,
    /** Whoever has set it last: their rights are those of its runs. */
    owner: object<AuthContext>(),
    /** Why it runs no more until it is set again. */
    paused_reason: nullable(text),
    last_run: nullable(object<ReportRun>()),
    created_at: date,
    updated_at: date,
    ...SCHEDULED_FIELDS,
  },
  [SCHEDULED_INDEX, { key: { tenant_id: 1, report_id: 1 } }, { key: { tenant_id: 1, buckets: 1 } }],
);
export type ReportRow = RowOf<typeof reports>;

export const reportRowId = (tenantId: string, id: string): string => `${tenantId}|${id}`;
