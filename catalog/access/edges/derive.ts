import { administers } from '../administers.js';
import type { AccessModel } from '../model.js';
import { AccessEstate } from './estate.js';
import { Escalations } from './escalate.js';
import { givenBy } from './given.js';
import { HoldingsOf } from './holdings.js';
import { RunsAs } from './runs.js';
import type { AccessEdge, AccessNode } from './types.js';

/** What follows of one who may do something, or of one resource that lets others do something. */
export interface DerivedAccess {
  readonly edges: readonly AccessEdge[];
  /** What edges lead to beside resources. */
  readonly nodes: readonly AccessNode[];
}

const NO_WAYS: DerivedAccess = { edges: [], nodes: [] };

/**
 * Who may do what on which resources of one provider, who may act as whom, and who comes to more rights than were given; always the same for the
 * same estate. What an answer leaves open (`unknown`) makes no edge.
 * @param isAsked the accounts of which an edge must touch one; edges with an end of which the inventory does not show the account are told always
 */
export function* accessEdges(
  model: AccessModel,
  provider: string,
  isAsked: (account: string) => boolean = () => true,
): Generator<DerivedAccess> {
  const isDue = (account: string) => account === '' || isAsked(account);
  const estate = new AccessEstate(model, provider);
  const { access } = estate;
  const seen = new Set<string>();
  const once = (edges: readonly AccessEdge[]): AccessEdge[] =>
    edges.filter((edge) => {
      const key = `${edge.from}\n${edge.to}\n${edge.kind}\n${edge.privilege}`;
      return edge.from !== edge.to && edge.accounts.some(isDue) && !seen.has(key) && seen.add(key);
    });
  const administering = new Map<string, boolean>();
  const isAdministrator = (uid: string): boolean => {
    const known = administering.get(uid);
    if (known !== undefined) return known;
    const own = administers(access, uid) === 'allowed';
    administering.set(uid, own);
    return own;
  };
  const escalations = new Escalations(estate, new RunsAs(model, provider), isAdministrator);
  for (const who of [...access.identities, ...access.strangers, ...access.everybody]) {
    const due = model.resource(who) === undefined || isDue(access.accountOf(who));
    const { edges, nodes, admin } = new HoldingsOf(estate, who, (one) => due || isDue(one)).read();
    // who may do everything gains nothing
    const ways = admin !== 'allowed' ? escalations.of(who, access.ownOf(who)) : NO_WAYS;
    const kept = once([...edges, ...ways.edges]);
    const ends = new Set(kept.map(({ to }) => to));
    yield { edges: kept, nodes: [...nodes, ...ways.nodes].filter(({ uid }) => ends.has(uid)) };
  }
  for (const uid of access.policied) yield { edges: once(givenBy(estate, uid, isAdministrator)), nodes: [] };
}
