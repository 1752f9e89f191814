import { SEVERITIES } from '../../schema/model.js';
import type { StandingFinding } from '../../kit/read/open-findings.js';
import type { Combination, CombinationPart } from './combination.js';
import { engineOfKind, type Kind, type NeighbourName, type Subject } from './estate.js';

/** A part of a combination that holds, and what it rests on. */
export interface MatchedPart {
  readonly says: string;
  /** The engine whose findings or views it rests on; null where the inventory itself tells it. */
  readonly engine: string | null;
  readonly resource_uids: readonly string[];
  readonly finding_ids: readonly string[];
}

/** Resources and findings that evidence names of one part. */
const MOST = 5;

/**
 * Whether a resource is one of those that a combination is about, with all of its parts.
 * @param neighbours the neighbours of the resource by name
 * @returns what each part rests on; null where one does not hold
 */
export function matchCombination(
  combination: Pick<Combination, 'on' | 'parts'>,
  subject: Subject,
  neighbours: (name: NeighbourName) => readonly Subject[],
): MatchedPart[] | null {
  const on = combination.on.find((kind) => subject.views[kind] !== undefined);
  if (on === undefined) return null;
  const matched: MatchedPart[] = [];
  for (const part of combination.parts) {
    const found = part.at === undefined ? matchPart(part, [subject], on) : matchPart(part, neighbours(part.at), part.kind);
    if (found.length === 0) return null;
    matched.push(...found);
  }
  return matched;
}

/** A part at any of some resources: one for each engine whose findings it rests on; nothing where it holds at none. */
function matchPart(part: CombinationPart, subjects: readonly Subject[], kind: Kind | undefined): MatchedPart[] {
  const holding = subjects.flatMap((subject) => {
    if (!holdsOf(part, subject, kind)) return [];
    if (!part.finding) return [{ subject, findings: [] }];
    const findings = subject.findings.filter((finding) => isMeant(part.finding!, finding));
    return findings.length > 0 ? [{ subject, findings }] : [];
  });
  if (holding.length === 0) return [];
  const { says } = part;
  const resource_uids = [...new Set(holding.map(({ subject }) => subject.resource_uid))].sort().slice(0, MOST);
  if (!part.finding) return [{ says, engine: engineOf(part, kind), resource_uids, finding_ids: [] }];
  const all = holding.flatMap(({ findings }) => findings);
  return [...new Set(all.map(({ engine }) => engine))].sort().map((engine) => {
    const own = all.filter((finding) => finding.engine === engine);
    const of = (name: 'resource_uid' | 'finding_id') => [...new Set(own.map((finding) => finding[name]))].sort().slice(0, MOST);
    return { says, engine, resource_uids: of('resource_uid'), finding_ids: of('finding_id') };
  });
}

function holdsOf(part: CombinationPart, subject: Subject, kind: Kind | undefined): boolean {
  const { where, exposure, environment, criticality, data } = part;
  const view = kind === undefined ? undefined : subject.views[kind];
  if (kind !== undefined && view === undefined) return false;
  // what is not known is not held against anything
  if (where && Object.entries(where).some(([field, value]) => view?.[field] !== value)) return false;
  if (exposure && !(subject.exposure && exposure.includes(subject.exposure))) return false;
  if (environment && !(subject.environment && environment.includes(subject.environment))) return false;
  if (criticality && !(subject.criticality && criticality.includes(subject.criticality))) return false;
  return data === undefined || subject.data.some((name) => data === true || data.includes(name));
}

function isMeant(wanted: NonNullable<CombinationPart['finding']>, finding: StandingFinding): boolean {
  const { engines, rules, severity, known_exploited, secret } = wanted;
  if (!engines.includes(finding.engine)) return false;
  if (rules && !rules.includes(finding.rule_id)) return false;
  if (severity && SEVERITIES.indexOf(finding.severity) > SEVERITIES.indexOf(severity)) return false;
  return (known_exploited === undefined || finding.known_exploited === true) && (secret === undefined || finding.is_secret);
}

/** Whose word a part without a finding is. */
function engineOf({ where, exposure }: CombinationPart, kind: Kind | undefined): string | null {
  if (exposure) return 'network-security';
  return where && kind !== undefined ? engineOfKind(kind) : null;
}
