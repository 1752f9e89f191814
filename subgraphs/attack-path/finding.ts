import type { DerivedRule } from '../../catalog/derived.js';
import { DERIVED_SOURCE } from '../../kit/findings/derived.js';
import { riskScore } from '../../kit/findings/risk-score.js';
import { findingId } from '../../kit/findings/row.js';
import type { ResourceIdentity } from '../../schema/model.js';
import type { Observation } from '../../schema/observations.js';
import type { PathDraft, PathIdentity } from './draft.js';
import { pathModel, severityOf } from './model/model.js';
import type { AttackPathRow } from './records.js';
import { digestOf } from '../../kit/store/row-id.js';

export const RULE_ID = 'palisade-attack-path';
/** How ways of one kind are told apart: a digest, because patterns are long. */
const discriminatorOf = ({ entry, pattern }: PathIdentity): string => `${entry}|${pattern}`;

/** What the id of a path's finding is made of. */
export const identityKey = (path: PathIdentity) => ({
  rule_id: RULE_ID,
  resource_uid: path.target,
  discriminator: discriminatorOf(path),
});

/** What a path leads to, as a resource. */
export function resourceOf({ nodes }: Pick<PathDraft, 'nodes'>): ResourceIdentity {
  const { uid, type, name, provider, account_id, region } = nodes.at(-1)!;
  return {
    ...{ resource_uid: uid, resource_type: type, resource_name: name, account_id },
    // every jewel is a resource, or the rights of an administrator of a provider's account
    provider: provider ?? 'aws',
    region: region ?? 'global',
  };
}

const nameOf = ({ nodes }: Pick<PathDraft, 'nodes'>): string => nodes.at(-1)!.name ?? nodes.at(-1)!.uid;
const startOf = ({ entry }: PathIdentity): string => (entry === 'internet' ? 'the internet' : entry);

/**
 * The observation of a path. Its evidence has the kinds of steps and no more: on what they rest stands in the path, which shows to each reader
 * what is his to read.
 */
export function observationOf(rule: DerivedRule, draft: PathDraft): Observation {
  const { resource_name, account_id, ...resource } = resourceOf(draft);
  const { rule_id, engine, description, steps, references } = rule;
  return {
    ...{ rule_id, engine, description, ...resource },
    title: `A path leads from ${startOf(draft)} to ${nameOf(draft)}`,
    severity: severityOf(draft.likelihood, draft.jewel.tier),
    remediation: { steps: steps.map((action) => ({ action })) },
    references: references.map((url) => ({ url })),
    ...{ result: 'FAIL', source: DERIVED_SOURCE, position: 'inventory' },
    discriminator: discriminatorOf(draft),
    mitre_techniques: techniquesOf(draft),
    evidence: {
      status_detail: `${draft.steps.length} steps: ${draft.steps.map(({ kind }) => pathModel().kinds[kind].label).join(', ')}`,
      entry: draft.entry,
      target: draft.target,
      pattern: draft.pattern,
      hops: draft.steps.map(({ kind }) => kind),
    },
    ...(resource_name !== null && { resource_name }),
    ...(account_id !== null && { account_id }),
  };
}

/** Techniques of ATT&CK by the first of each kind of step. */
const techniquesOf = ({ steps }: Pick<PathDraft, 'steps'>): string[] => [
  ...new Set(steps.map(({ kind }) => pathModel().kinds[kind].techniques[0]!)),
];

const CVE = /^(CVE-\d{4}-\d{4,})@/;
const once = <T>(values: readonly (T | null)[]): T[] => [...new Set(values.filter((value) => value !== null))];

export function rowOf(tenant_id: string, draft: PathDraft, changed_at: Date): AttackPathRow {
  const { entry, pattern, jewel, likelihood, weight, also_reaches, nodes, steps } = draft;
  const severity = severityOf(likelihood, jewel.tier);
  const finding_id = findingId('attack-path', identityKey(draft));
  const conditions = steps.flatMap((step) => step.conditions);
  const said = {
    ...resourceOf(draft),
    ...{ finding_id, entry, pattern, jewel: { ...jewel }, severity, likelihood, weight, also_reaches },
    risk_score: riskScore({ severity }),
    nodes: [...nodes],
    steps: [...steps],
    uids: once(nodes.map(({ uid }) => uid)),
    techniques: techniquesOf(draft),
    providers: once(nodes.map(({ provider }) => provider)).sort(),
    accounts: once(nodes.map(({ account_id }) => account_id)).sort(),
    cves: once(conditions.map(({ cause }) => CVE.exec(cause)?.[1] ?? null)),
    engines: once(conditions.map(({ engine }) => engine)).sort(),
    route: digestOf(
      nodes.map(({ uid, hold }) => [uid, hold]),
      22,
    ),
  };
  return { _id: `${tenant_id}|${finding_id}`, tenant_id, ...said, digest: digestOf(said, 22), changed_at };
}
