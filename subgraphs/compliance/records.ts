import { defineCollection } from '../../kit/store/collection.js';

/** What a framework scored on a day, over all providers (`scope` all) or over one. `_id` is `<tenant>|<framework>|<scope>|<date>`. */
export interface FrameworkScoreRow {
  _id: string;
  tenant_id: string;
  framework_id: string;
  scope: string;
  /** Day, UTC: `2030-01-31`. */
  date: string;
  score: number;
  /** Ids of the controls, for the history of each. */
  passed: string[];
  failed: string[];
  evaluated_at: Date;
}

/** One version of a framework of the tenant's own; `_id` is `<tenant>|<framework>|<version number>`. */
export interface CustomFrameworkRow {
  _id: string;
  tenant_id: string;
  framework_id: string;
  revision: number;
  current: boolean;
  name: string;
  version: string;
  description: string | null;
  controls: { control_id: string; section: string; title: string; rule_ids: string[] }[];
  created_by: string;
  created_at: Date;
  retired_at: Date | null;
}

/** A control that a person says is met or not. */
export interface AttestationRow {
  _id: string;
  tenant_id: string;
  framework_id: string;
  control_id: string;
  status: 'met' | 'not_met';
  evidence: string;
  evidence_url: string | null;
  author: string;
  created_at: Date;
  expires_at: Date;
}

export const frameworkScores = defineCollection<FrameworkScoreRow>(
  'framework_scores',
  { framework_id: String, scope: String, date: String, score: Number, passed: [String], failed: [String], evaluated_at: Date },
  [{ key: { tenant_id: 1, framework_id: 1, scope: 1, date: 1 } }],
);

export const customFrameworks = defineCollection<CustomFrameworkRow>(
  'custom_frameworks',
  {
    framework_id: String,
    revision: Number,
    current: Boolean,
    name: String,
    version: String,
    description: String,
    controls: [Object],
    created_by: String,
    created_at: Date,
    retired_at: Date,
  },
  [
    { key: { tenant_id: 1, framework_id: 1, revision: 1 }, options: { unique: true } },
    { key: { tenant_id: 1, current: 1, framework_id: 1 } },
  ],
);

export const attestations = defineCollection<AttestationRow>(
  'attestations',
  {
    framework_id: String,
    control_id: String,
    status: String,
    evidence: String,
    evidence_url: String,
    author: String,
    created_at: Date,
    expires_at: Date,
  },
  [{ key: { tenant_id: 1, framework_id: 1, control_id: 1, created_at: -1 } }, { key: { tenant_id: 1, created_at: -1 } }],
);
