import { defineCollection, type RowOf } from '../../kit/store/collection.js';
import { date, flag, list, nullable, number, object, oneOf, text } from '../../kit/store/fields.js';

/** What a framework scored on a day, over all providers (`scope` all) or over one. `_id` is `<tenant>|<framework>|<scope>|<date>`. */
export const frameworkScores = defineCollection(
  'framework_scores',
  {
    framework_id: text,
    scope: text,
    /** Day, UTC: `2030-01-31`. */
    date: text,
    score: number,
    /** Ids of the controls, for the history of each. */
    passed: list(text),
    failed: list(text),
  },
  [{ key: { tenant_id: 1, framework_id: 1, scope: 1, date: 1 } }],
);
export type FrameworkScoreRow = RowOf<typeof frameworkScores>;

/** One version of a framework of the tenant's own; `_id` is `<tenant>|<framework>|<version number>`. */
export const customFrameworks = defineCollection(
  'custom_frameworks',
  {
    framework_id: text,
    revision: number,
    current: flag,
    name: text,
    version: text,
    description: nullable(text),
    controls: list(object<{ control_id: string; section: string; title: string; rule_ids: string[] }>()),
    created_by: text,
    created_at: date,
    retired_at: nullable(date),
  },
  [
    { key: { tenant_id: 1, framework_id: 1, revision: 1 }, options: { unique: true } },
    { key: { tenant_id: 1, current: 1, framework_id: 1 } },
  ],
);
export type CustomFrameworkRow = RowOf<typeof customFrameworks>;

/** A control that a person says is met or not. */
export const attestations = defineCollection(
  'attestations',
  {
    framework_id: text,
    control_id: text,
    status: oneOf('met', 'not_met'),
    evidence: text,
    evidence_url: nullable(text),
    author: text,
    created_at: date,
    expires_at: date,
  },
  [{ key: { tenant_id: 1, framework_id: 1, control_id: 1, created_at: -1 } }, { key: { tenant_id: 1, created_at: -1 } }],
);
export type AttestationRow = RowOf<typeof attestations>;
