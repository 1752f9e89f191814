import { findCatalogRule } from '../../catalog/catalog.js';
import { safeId } from '../../importers/normalize/observation.js';
import { FIRST_OWNER } from '../../kit/findings/former-owner.js';
import { findingId, unknownDiscriminator, type FindingRow } from '../../kit/findings/row.js';
import { EVALUATION_SOURCE } from '../../kit/engine/rule-results.js';

/** A finding as release 0.1.0 stored it, of one collection an engine. */
export type OldFinding = Omit<
  FindingRow,
  'engine' | 'discriminator' | 'former_engines' | 'owner_unconfirmed' | 'cve' | 'cvss' | 'epss' | 'known_exploited'
> &
  Partial<FindingRow> & { hidden?: boolean };

/** The engine of a tenant's own rule, by tenant and rule. */
export type OwnRules = ReadonlyMap<string, string>;
export const ownRuleKey = (tenantId: string, ruleId: string): string => `${tenantId}|${ruleId}`;

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []);
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/**
 * The discriminator of a row that does not hold it: the id is the digest of it, so what gives the id is it. Tried are those that
 * readers made of what the row holds; null when none is.
 */
export function recoverDiscriminator(engine: string, row: OldFinding): string | null {
  const { evidence, region } = row;
  const securityHubId = text(evidence['finding_id']);
  const candidates = ['', region, text(evidence['finding_uid']), securityHubId?.slice(securityHubId.lastIndexOf('/') + 1)];
  for (const candidate of candidates) {
    if (candidate === undefined) continue;
    const discriminator = candidate === '' ? '' : safeId(candidate);
    if (findingId(engine, { rule_id: row.rule_id, resource_uid: row.resource_uid, discriminator }) === row.finding_id) return discriminator;
  }
  return null;
}

/**
 * The engine that a finding under `check` belongs to now that all are listed: by its rule where ours raised it, by what its
 * product calls it where Security Hub handed it on. `certain` is false where a run must tell.
 */
export function ownerOfOld(row: OldFinding, ownRules: OwnRules): { engine: string; certain: boolean } {
  if (row.source === EVALUATION_SOURCE) {
    const engine = ownRules.get(ownRuleKey(row.tenant_id, row.rule_id)) ?? findCatalogRule(row.rule_id)?.engine;
    return { engine: engine ?? FIRST_OWNER, certain: engine !== undefined };
  }
  const { evidence } = row;
  if (text(evidence['compliance_status']) !== undefined) return { engine: FIRST_OWNER, certain: true };
  // what Security Hub hands on carries its own id of the finding, and the types that its readers go by
  if (text(evidence['finding_id']) !== undefined) {
    const types = texts(evidence['types']);
    if (row.source === 'macie' || types.some((type) => /^Sensitive Data/i.test(type))) return { engine: 'datasec', certain: true };
    const isDetection =
      ['guardduty', 'detective'].includes(row.source) || types.some((type) => /^(?:TTPs|Effects|Unusual Behaviors)(?:\/|$)/i.test(type));
    if (isDetection) return { engine: 'cdr', certain: true };
  }
  return { engine: FIRST_OWNER, certain: false };
}

/** The row as the one collection holds it, under the engine that release 0.1.0 kept it under. */
export function asFinding(engine: string, row: OldFinding, resolvedBy: FindingRow['resolved_by']): FindingRow {
  const touched = Math.max(row.last_seen_at.getTime(), row.resolved_at?.getTime() ?? 0);
  const { hidden: _status, ...kept } = row;
  return {
    ...kept,
    _id: `${row.tenant_id}|${engine}|${row.finding_id}`,
    engine,
    discriminator: recoverDiscriminator(engine, row) ?? unknownDiscriminator(row.finding_id),
    former_engines: [],
    cve: /^CVE-\d{4}-\d{4,}$/i.test(row.rule_id) ? row.rule_id.toUpperCase() : null,
    cvss: null,
    epss: null,
    known_exploited: null,
    opened_by: null,
    regressed_by: null,
    resolved_by: row.status === 'RESOLVED' ? resolvedBy : null,
    touched_at: new Date(touched),
    absent_since: null,
    ticket: row.ticket ?? null,
  };
}
