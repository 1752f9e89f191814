import { RESOURCE_FIELDS } from '../../../kit/engine/resource-fields.js';
import type { Reader } from '../../../kit/findings/readers.js';
import type { JewelTier } from '../../../kit/read/crown-jewels.js';
import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, flag, list, nullable, number, object, text, textOf } from '../../../kit/store/fields.js';
import type { Provider, Severity } from '../../../schema/model.js';
import type { LossStatistics } from '../simulation/statistics.js';

/** Classes of entry, in the order in which they are simulated. */
export const ENTRY_CLASSES = ['internet', 'leaked_credential', 'weak_sign_in'] as const;
export type EntryClass = (typeof ENTRY_CLASSES)[number];

/** How bad a loss is that cannot be told in money. */
export const BANDS = ['low', 'moderate', 'high', 'severe'] as const;
export type Band = (typeof BANDS)[number];

/** What ways hang on, and what is won when it is fixed. */
export interface Cause {
  readonly cause: string;
  readonly text: string;
  readonly engine: string;
  readonly finding_id: string | null;
  /** The rule that fails, reported or not, or the CVE, and the resource that it is on; null for what is none. */
  readonly rule_id: string | null;
  readonly resource_uid: string | null;
  /** Paths that need it. */
  readonly paths: number;
  /** By how much the expected loss of a year falls; null where that was not reckoned. */
  readonly reduction: number | null;
}

/** The loss when an entry is won. */
export interface BreachedEntry {
  readonly resource_uid: string;
  readonly resource_type: string;
  readonly resource_name: string | null;
  readonly provider: string | null;
  readonly account_id: string | null;
  readonly expected: number;
  readonly high: number;
  readonly jewels: number;
  readonly without_figures: number;
}

/** What a reckoning gave, of what one role may read; `_id` is `<tenant_id>|<reader>`. */
export const riskResults = defineCollection(
  'risk_results',
  {
    reader: textOf<Reader>(),
    currency: text,
    draws: number,
    statistics: object<LossStatistics>(),
    jewels: number,
    without_figures: number,
    paths: number,
    causes: list(object<Cause>()),
    by_provider: object<Readonly<Record<Provider, Readonly<Record<Severity, number>>>>>(),
    entries: list(object<BreachedEntry>()),
    /** The expected loss before the last reckoning that changed something; null where there was none. */
    before: nullable(number),
    /** Of all that it rests on: the same gives the same. */
    digest: text,
    at: date,
  },
  [{ key: { tenant_id: 1, reader: 1 } }],
);
export type RiskResultRow = RowOf<typeof riskResults>;

/** A jewel that may be lost by a class of entry; `_id` is `<tenant_id>|<reader>|<digest of jewel and entry>`. */
export const riskScenarios = defineCollection(
  'risk_scenarios',
  {
    ...RESOURCE_FIELDS,
    provider: nullable(textOf<Provider>()),
    region: nullable(text),
    reader: textOf<Reader>(),
    entry: textOf<EntryClass>(),
    tier: textOf<JewelTier>(),
    has_figures: flag,
    /** Probability of a loss within a year. */
    likelihood: number,
    band: textOf<Band>(),
    /** Of one loss: nine of ten lie between low and high. Null without figures. */
    impact: nullable(object<{ low: number; mean: number; high: number }>()),
    expected_loss: nullable(number),
    paths: number,
    causes: list(object<Cause>()),
    /** What lists are ordered by: the expected loss, and of what has no figures tier and likelihood. */
    rank: number,
    digest: text,
  },
  [{ key: { tenant_id: 1, reader: 1, rank: -1, _id: 1 } }, { key: { tenant_id: 1, reader: 1, resource_uid: 1 } }],
);
export type RiskScenarioRow = RowOf<typeof riskScenarios>;
