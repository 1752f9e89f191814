import type { Readable } from 'node:stream';
import type { Provider } from '../schema/model.js';
import type {
  AssessmentInput,
  AssetInput,
  EdgeInput,
  EventInput,
  IndicatorInput,
  LastAccessInput,
  Observation,
  RuleInput,
  ScopeInput,
} from '../schema/observations.js';
import type { ArtifactInput, ComponentInput, DependencyInput } from '../schema/artifacts.js';

/**
 * What an importer reads: bytes that can be read more than once (a staged upload, a file), already decompressed.
 */
export interface ReportSource {
  /** Opens the report from its first byte; each call starts a new, independent read. */
  open(): Readable;
  /** The bytes as they are kept, at any place: what a container is read by whose directory stands at its end. */
  readonly stored?: StoredBytes;
  /** The largest report in bytes, counted after decompression. */
  readonly maxBytes?: number;
  /** Length in bytes where known; for progress only. */
  readonly size?: number;
  /** The name the file had, where known; a hint for messages and for artifact names, never for trust. */
  readonly filename?: string;
}

/** Bytes that can be read from any place. */
export interface StoredBytes {
  readonly size: number;
  /** The bytes from `start` up to `end`, without it. */
  range(start: number, end: number): Readable;
}

/** What the caller says of a report (decision 33); an importer uses it where the report itself is silent. */
export interface ImportOptions {
  account_id?: string;
  region?: string;
  /** The scanned thing where the report does not name it: a repository, an image, a directory. */
  artifact?: string;
  /** Provider of what runs in no cloud. */
  provider?: Provider;
}

export type {
  AssessmentInput,
  AssetInput,
  ControlReference,
  EdgeInput,
  EventInput,
  IndicatorInput,
  LastAccessInput,
  Observation,
  Reference,
  RemediationStep,
  RuleInput,
  ScopeInput,
} from '../schema/observations.js';
export type { ArtifactInput, ComponentHash, ComponentInput, DependencyInput } from '../schema/artifacts.js';

/** What an importer yields, in the order of the report. */
export type ImportItem =
  | { kind: 'observation'; observation: Observation }
  | { kind: 'rule'; rule: RuleInput }
  | { kind: 'asset'; asset: AssetInput }
  | { kind: 'edge'; edge: EdgeInput }
  | { kind: 'event'; event: EventInput }
  | { kind: 'last_access'; last_access: LastAccessInput }
  | { kind: 'indicator'; indicator: IndicatorInput }
  /** The components that follow, up to the next such item, are all that the artifact has. */
  | { kind: 'artifact'; artifact: ArtifactInput }
  | { kind: 'component'; component: ComponentInput }
  | { kind: 'dependency'; dependency: DependencyInput }
  /** Somebody has judged a vulnerability; it may come before the findings that it speaks of. */
  | { kind: 'assessment'; assessment: AssessmentInput }
  /** The report covers this, found or not; those of its observations are understood and need no item. */
  | { kind: 'scope'; scope: ScopeInput }
  /** The report tells all of an estate, a name that is the same in every report of it. It comes before the assets. */
  | { kind: 'estate'; estate: string }
  /** All that there is of this part of the estate is told, whatever became of others. */
  | { kind: 'whole'; part: string }
  /** What a collector was refused, or got no answer to: the report is incomplete by it, and all else that it tells is right. */
  | { kind: 'unanswered'; position: string; reason: string; place?: UnansweredPlace }
  /** What a collector did not ask, with a reason: the report is whole all the same, and tells nothing of it. */
  | { kind: 'skipped'; reason: string; place: UnansweredPlace }
  /** The report tells all resources of these types that there are where it looked, were it none. */
  | { kind: 'listed'; types: readonly string[] }
  /** What follows is another report, up to the next such item: an entry of an archive. `format` is its format's name. */
  | { kind: 'part'; format: string; name: string }
  /** One record of the report was taken in (whatever it yielded): exactly one a record, for the run's `counts.records`. */
  | { kind: 'record' }
  /** One record could not be read: exactly one a broken record; the others go on. */
  | { kind: 'broken'; position: string; reason: string }
  /** The report ends early or is damaged past this point: what was read stands, the run can only be PARTIAL. */
  | { kind: 'truncated'; position: string; reason: string };

/** Where a call would have looked that was not answered, as far as its name tells. */
export interface UnansweredPlace {
  provider: Provider;
  /** As the provider's interfaces name it: `kms`, `Microsoft.Storage`. */
  service: string;
  region?: string;
}

/** One supported report format. */
export interface ReportFormat {
  /** The name used in `?format=`: `terraform_plan`. Its fixtures lie in the folder of this name. */
  readonly name: string;
  /** The name that people see. */
  readonly label: string;
  /** The engines the format feeds. */
  readonly engines: readonly string[];
  /** How the format is recognised, one sentence for the import-formats endpoint. */
  readonly detection: string;
  /** A command that makes such a report, ready to be run: `semgrep scan --json --output report.json`. */
  readonly produce: string;
  /**
   * Whether `head`, the first bytes of a report (up to DETECT_BYTES, text decoded), is of this format. Must not claim a
   * report of another format; must answer for a report cut at any byte.
   */
  detect(head: string): boolean;
  /** Whether its reports tell configurations of resources, over which posture rules are evaluated. */
  readonly inventory?: true;
  /** Whether its reports may speak of what runs in no cloud, which then has the import's `provider`. */
  readonly outsideClouds?: true;
  /** When the scanner looked, where the report tells it for the whole of itself; a time that cannot be read is undefined. */
  observedAt?(source: ReportSource): Promise<Date | undefined>;
  /** Reads the report. Throws NotOfFormat only when it is not of the format at all; everything smaller is an item. */
  read(source: ReportSource, options: ImportOptions): AsyncIterable<ImportItem>;
}

/** How much of a report `detect` is shown. */
export const DETECT_BYTES = 262_144;

/** The report is not of the format at all (422). The message says what was expected and what was found. */
export class NotOfFormat extends Error {
  override readonly name = 'NotOfFormat';
}
