import { risesIn, type RisingEdge } from '../../catalog/access/rises.js';
import { derivedRules } from '../../catalog/derived.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { derivedFindings, type DerivedFailure } from '../../kit/findings/derived.js';
import { readRisingEdges } from '../../kit/read/rising-edges.js';
import { PROVIDERS, type Provider } from '../../schema/model.js';
import { identities } from './identities.js';
import { ACTING, principalOf, type IdentityRow } from './identity-row.js';

/** Actions, policies and ways that evidence names at most. */
const MOST = 50;

/** Identities that may do too much, or that come to every right in one step. */
export const identityFindings = derivedFindings({
  rules: derivedRules('identities'),
  async *failures(context) {
    const present = await context.collection(identities.projection.rows).distinct('provider', { kind: { $in: ACTING } });
    for (const provider of PROVIDERS) if (present.includes(provider)) yield* await tooMuch(context, provider);
  },
});

async function tooMuch(context: EngineContext, provider: Provider): Promise<DerivedFailure[]> {
  const acting = new Map<string, IdentityRow>();
  for await (const row of context.collection(identities.projection.rows).scan({ provider, kind: { $in: ACTING } }))
    acting.set(row.resource_uid, row as IdentityRow);
  if (acting.size === 0) return [];
  const edges: RisingEdge[] = [];
  for await (const { access, ...edge } of readRisingEdges(context, provider)) edges.push({ ...edge, ...access });
  return risesIn(provider, edges).flatMap(({ identity_uid, administers_by, ways }): DerivedFailure[] => {
    const resource = acting.get(identity_uid);
    if (resource === undefined) return [];
    const principal = principalOf(resource);
    if (administers_by === null) {
      const status_detail = ways.map(({ title }) => title).join('; ');
      const actions = [...new Set(ways.flatMap(({ needs }) => needs))].slice(0, MOST);
      const evidence = { ...principal, actions, status_detail, ways: ways.slice(0, MOST) };
      return [{ rule_id: 'palisade-identity-escalates-to-administrator', resource, evidence }];
    }
    const evidence = { principal: identity_uid, granted_actions: ['*'], policies: administers_by.slice(0, MOST) };
    if (resource.external === true) return [{ rule_id: 'palisade-external-administrator', resource, evidence }];
    return resource.human === false ? [{ rule_id: 'palisade-machine-administrator', resource, evidence }] : [];
  });
}
