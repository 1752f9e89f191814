import type { EngineContext } from '../engine/context.js';
import { DERIVED_SOURCE } from '../findings/derived.js';
import { CLOSABLE } from '../findings/lifecycle.js';
import { readableEngines } from '../findings/present-owner.js';
import { severityRank } from '../findings/risk-score.js';
import { findings, type FindingRow } from '../findings/row.js';

const FIELDS = ['engine', 'finding_id', 'rule_id', 'severity', 'resource_uid', 'known_exploited', 'evidence.kind'] as const;

/** What of a finding tells how it stands together with others. */
export interface StandingFinding extends Pick<
  FindingRow,
  'engine' | 'finding_id' | 'rule_id' | 'severity' | 'resource_uid' | 'known_exploited'
> {
  /** Whether it is about a secret that lies where it should not. */
  readonly is_secret: boolean;
}

/** Findings that are read at a time. */
const MOST = 20_000;

/**
 * The findings on resources that weigh something together with others, in the engines that the caller may read: high and critical ones, what is
 * known to be exploited, and what engines derive. An accepted risk is one all the same; what is no finding is left out.
 * @param uids at most 200
 * @param without engines whose findings are made of others'
 */
export async function readStandingFindings(
  { auth, services }: EngineContext,
  uids: readonly string[],
  without: readonly string[],
): Promise<StandingFinding[]> {
  if (uids.length === 0) return [];
  const engines = readableEngines(services, auth).filter((engine) => !without.includes(engine));
  const condition = {
    resource_uid: { $in: uids },
    status: { $in: [...CLOSABLE, 'SUPPRESSED'] },
    $or: [{ severity_rank: { $gte: severityRank('high') } }, { known_exploited: true }, { source: DERIVED_SOURCE }],
  };
  const rows = services.database.tenant(auth.tenant_id).engines(engines).collection(findings);
  const found = await rows.find(condition, { fields: FIELDS, limit: MOST });
  return found.map(({ engine, finding_id, rule_id, severity, resource_uid, known_exploited, evidence }) => ({
    ...{ engine, finding_id, rule_id, severity, resource_uid, known_exploited },
    is_secret: (evidence as { kind?: unknown } | undefined)?.kind === 'secret',
  }));
}
