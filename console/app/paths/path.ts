import type { FindingStatus, Provider, Severity } from '../../../schema/model.js';
import { truncateMiddle } from '../format.js';

/** A row of `GET /attack-paths`. */
export interface AttackPath {
  readonly path_id: string;
  readonly severity: Severity | null;
  readonly status: FindingStatus | null;
  readonly risk_score: number | null;
  readonly likelihood: number | null;
  readonly entry: string;
  readonly target: string;
  readonly target_type: string;
  readonly target_name: string | null;
  readonly tier: string;
  readonly target_reason: string;
  readonly also_reaches: number;
  readonly provider: Provider;
  readonly length: number;
  readonly techniques: readonly string[];
  readonly cves: readonly string[];
  readonly first_seen_at: string | null;
  readonly restrictedEngines: readonly string[];
}

/** `GET /attack-paths/{id}`. */
export interface AttackPathDetail {
  readonly path: AttackPath;
  readonly nodes: readonly PathNode[];
  /** One fewer than nodes: each leads from a node to the next. */
  readonly steps: readonly PathStep[];
  readonly cheapest_fix: {
    readonly step: number;
    readonly action: string;
    readonly effort: number;
    readonly finding_id: string | null;
    readonly breaks: readonly string[];
    readonly reroutes: readonly string[];
  } | null;
}

export interface PathNode {
  readonly uid: string | null;
  readonly kind: string | null;
  readonly hold: string | null;
  readonly type: string | null;
  readonly name: string | null;
}

export interface PathStep {
  readonly kind: string;
  readonly label: string;
  readonly probability: number | null;
  readonly conditions: readonly { readonly text: string; readonly engine: string; readonly finding_id: string | null }[];
  readonly abuse: string;
  readonly notice: string;
  readonly fix: string;
  readonly techniques: readonly string[];
  readonly effort: number;
  readonly masked: boolean;
}

/** Where a path begins, as people say it. */
export const entryWord = (entry: string): string => (entry === 'internet' ? 'Internet' : truncateMiddle(entry, 32));

/** What a node is called; one that rests on engines which the reader may not read has no name. */
export const nodeName = ({ name, uid }: Pick<PathNode, 'name' | 'uid'>): string => name ?? uid ?? 'not yours to see';
