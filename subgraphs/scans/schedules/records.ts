import type { AuthContext } from '../../../kit/base/auth-context.js';
import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, flag, nullable, object, text } from '../../../kit/store/fields.js';
import { SCHEDULED_FIELDS, SCHEDULED_INDEX } from '../../../kit/work/schedule.js';
import { COVERAGE_FIELDS } from '../definitions/records.js';

/** When scans begin by themselves; `_id` is `<tenant_id>|<schedule_id>`. */
export const schedules = defineCollection(
  'scan_schedules',
  {
    schedule_id: text,
    name: text,
    scan_id: text,
    ...COVERAGE_FIELDS,
    enabled: flag,
    /** Whoever has set it last: their rights are those of its runs. */
    owner: object<AuthContext>(),
    /** Why it begins no more until it is changed. */
    paused_reason: nullable(text),
    last_run_id: nullable(text),
    created_at: date,
    updated_at: date,
    ...SCHEDULED_FIELDS,
  },
  [SCHEDULED_INDEX, { key: { tenant_id: 1, schedule_id: 1 } }, { key: { tenant_id: 1, scan_id: 1, next_run_at: 1 } }],
);
export type ScheduleRow = RowOf<typeof schedules>;

export const scheduleRowId = (tenantId: string, scheduleId: string): string => `${tenantId}|${scheduleId}`;
