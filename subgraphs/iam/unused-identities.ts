import { actorsOf } from '../../catalog/actions/actors.js';
import { derivedRules } from '../../catalog/derived.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { derivedFindings, type DerivedFailure } from '../../kit/findings/derived.js';
import { readEventUse } from '../../kit/read/event-use.js';
import { readAssets, type ReadAsset } from '../../kit/read/inventory.js';
import type { Provider } from '../../schema/model.js';
import { credentialsOf, REPORTED_TYPES, type Credential } from './credentials.js';
import { ACTING, principalOf, type IdentityRow } from './identity-row.js';
import { identities } from './identities.js';

const DAYS = 90;
const UNUSED = DAYS * 86_400_000;
/** Actors whose uses are asked for at once. */
const ACTORS_AT_ONCE = 200;

interface Candidate {
  identity: IdentityRow;
  /** Names by which logs call it. */
  actors: string[];
  failures: DerivedFailure[];
}

/**
 * Identities, keys and passwords that nobody has used for 90 days when the inventory last looked at them. A call in an audit log since then shows that an
 * identity is in use, whatever the inventory says.
 */
export const unusedIdentities = derivedFindings({
  rules: derivedRules('unused-identities'),
  async *failures(context, now) {
    const candidates = await candidatesOf(context);
    const used = await usedSince(context, candidates, new Date(now.getTime() - UNUSED));
    for (const { identity, failures } of candidates) if (!used.has(identity.resource_uid)) yield* failures;
  },
});

async function candidatesOf(context: EngineContext): Promise<Candidate[]> {
  const asked = new Map<string, IdentityRow>();
  const told = { $or: [{ last_used_at: { $ne: null } }, { resource_type: { $in: REPORTED_TYPES } }] };
  for await (const row of context.collection(identities.projection.rows).scan({ kind: { $in: ACTING }, ...told })) {
    const identity = row as IdentityRow;
    if (identity.enabled !== false) asked.set(identity.resource_uid, identity);
  }
  if (asked.size === 0) return [];
  const found: Candidate[] = [];
  const types = [...new Set([...asked.values()].map(({ resource_type }) => resource_type))];
  for await (const asset of readAssets(context, types)) {
    const identity = asked.get(asset.resource_uid);
    const failures = identity === undefined ? [] : failuresOf(identity, asset);
    if (failures.length > 0) found.push({ identity: identity!, actors: actorsOf(asset), failures });
  }
  return found;
}

function failuresOf(identity: IdentityRow, { configuration }: ReadAsset): DerivedFailure[] {
  const { last_seen_at, last_used_at } = identity;
  const before = new Date(last_seen_at.getTime() - UNUSED);
  const credentials = credentialsOf(configuration);
  if (credentials === undefined) {
    if (last_used_at === null || last_used_at > before) return [];
    return [failureOf((identity.keys ?? 0) > 0 ? 'palisade-identity-unused-keys' : 'palisade-identity-unused', identity, last_used_at)];
  }
  const dormant = credentials.filter((one) => isDormant(one, before));
  if (dormant.length === 0) return [];
  if (dormant.length < credentials.length)
    return dormant.map((one) => ({ ...failureOf(one.rule_id, identity, one.last_used_at, one.name), discriminator: one.name }));
  const hasKeys = dormant.some(({ rule_id }) => rule_id === 'palisade-access-key-unused');
  const failure = failureOf(hasKeys ? 'palisade-identity-unused-keys' : 'palisade-identity-unused', identity, last_used_at);
  return [{ ...failure, evidence: { ...failure.evidence, unused: dormant.map(({ name }) => name) } }];
}

/** Whether a credential could have been used for 90 days, and was not. */
const isDormant = ({ last_used_at, since }: Credential, before: Date): boolean => {
  const from = last_used_at ?? since;
  return from !== null && from <= before;
};

function failureOf(rule_id: string, resource: IdentityRow, last: Date | null, what?: string): DerivedFailure {
  const used = last === null ? 'Never used' : `Last used at ${last.toISOString()}`;
  const status_detail = `${what === undefined ? '' : `The ${what}: `}${used}, as seen at ${resource.last_seen_at.toISOString()}.`;
  const actual = last?.toISOString() ?? null;
  const window = { window_days: DAYS, ...(what !== undefined && { unused: [what] }) };
  return { rule_id, resource, evidence: { ...principalOf(resource), attribute: 'last_used_at', actual, status_detail, ...window } };
}

/** Those of the identities that an audit log shows in use since a time. */
async function usedSince(context: EngineContext, candidates: readonly Candidate[], since: Date): Promise<ReadonlySet<string>> {
  const used = new Set<string>();
  const uids = new Map<Provider, Map<string, string>>();
  for (const { identity, actors } of candidates) {
    const names = uids.get(identity.provider) ?? new Map<string, string>();
    uids.set(identity.provider, names);
    for (const actor of actors) names.set(actor, identity.resource_uid);
  }
  for (const [provider, names] of uids) {
    const all = [...names.keys()];
    for (let at = 0; at < all.length; at += ACTORS_AT_ONCE)
      for await (const { actor, used_at } of readEventUse(context, provider, all.slice(at, at + ACTORS_AT_ONCE)))
        if (used_at !== null && new Date(used_at) >= since) used.add(names.get(actor)!);
  }
  return used;
}
