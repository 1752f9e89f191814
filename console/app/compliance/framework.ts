import type { Provider } from '../../../schema/model.js';

/** A row of `GET /compliance/frameworks`. */
export interface Framework {
  readonly framework_id: string;
  readonly framework_name: string;
  readonly version: string;
  readonly providers: readonly Provider[];
  readonly custom: boolean;
  /** 0 to 100; 0 while nothing is assessed. */
  readonly score: number;
  readonly assessed_controls: number;
  readonly pass_count: number;
  readonly fail_count: number;
  readonly total_controls: number;
  readonly manual_controls: number;
  readonly last_evaluated: string | null;
}

/** A row of a framework's controls. */
export interface Control {
  readonly control_id: string;
  readonly section: string;
  readonly title: string;
  readonly status: 'PASS' | 'FAIL' | 'NOT_ASSESSED' | 'MANUAL';
  readonly not_assessed_because: string | null;
  readonly rule_count: number;
  readonly passed_results: number;
  readonly failed_results: number;
  readonly attestation: {
    readonly status: string;
    readonly evidence: string;
    readonly author: string;
    readonly created_at: string;
    readonly expires_at: string;
    readonly expired: boolean;
  } | null;
}

/** What an attestation says, in words. */
export const ATTESTATION_WORDS: Readonly<Record<string, string>> = { met: 'met', not_met: 'not met' };

/** What a framework is called: with its version, where it has one. */
export const frameworkTitle = ({ framework_name, version }: Pick<Framework, 'framework_name' | 'version'>): string =>
  version === '-' ? framework_name : `${framework_name} ${version}`;

/** A framework's path in the API. */
export const frameworkPath = (id: string): string => `/api/v1/compliance/framework/${encodeURIComponent(id)}`;
