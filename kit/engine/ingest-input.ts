import type { BusinessTags } from './business-tags.js';
import type { Provider } from '../../schema/model.js';
import type { Database } from '../store/database.js';
import type { AssetFacts } from '../../schema/facts.js';
import type { AssetInput } from '../../schema/observations.js';

/** An asset as a run saw it, or as a finding names it (`configuration` null then: what an inventory said stays). */
export type SeenAsset = Omit<AssetInput, 'configuration' | 'source' | 'position'> &
  Partial<Pick<AssetInput, 'source'>> & {
    configuration: Record<string, unknown> | null;
    /** What a scanner tells of it beside its findings. */
    told?: AssetFacts;
  };

/** What a tenant has set for its imports. */
export interface ImportSettings {
  /** Provider of what runs in no cloud; null when each import must name it. */
  default_provider: Provider | null;
  /** The tags that tell what resources are for. */
  business_tags: BusinessTags;
  /** Days for which the report of a run that has ended is kept. */
  run_retention_days: number;
  /** Days for which events are kept; null where nobody has set it. */
  event_retention_days: number | null;
}

/** Which of these resources of a tenant have results of rules. */
export type EvaluatedFinder = (
  services: { readonly database: Database },
  tenantId: string,
  resourceUids: readonly string[],
) => Promise<string[]>;

/** The tags of resources of a tenant by name, by resource_uid; resources that the inventory does not know are left out. */
export type TagFinder = (
  tenantId: string,
  resourceUids: readonly string[],
) => Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>>;

/** Where a run got no answer, and why. */
export interface CoverageGap {
  readonly provider: Provider;
  /** As the provider's interfaces name it. */
  readonly service: string;
  readonly region?: string;
  /** What people are told of it; it names the permission that is missing. */
  readonly reason: string;
  /** It was left out on purpose. */
  readonly isSkipped?: true;
}

/** What a run was to cover. */
export interface CoveredPart {
  readonly account_id: string | null;
  /** Only these; all where there are none. */
  readonly regions?: readonly string[];
  readonly services?: readonly string[];
  /** Whether all of it was asked for: what is no gap any more is covered. */
  readonly asked: boolean;
}

/** Which run brings something, and when it began. */
export interface RunStart {
  readonly scan_run_id: string;
  readonly at: Date;
  /** When what it reports was observed; `at` where nobody tells. */
  readonly observed_at?: Date | null;
  /** The whole that its report tells, where it tells one: what it does not show of it is gone. */
  readonly estate?: string | null;
}

/** Of which parts of an estate all is told. */
export type WholeParts = 'all' | readonly string[];
