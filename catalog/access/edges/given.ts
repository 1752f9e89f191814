import type { Principal } from '../provider.js';
import { ON_RESOURCES } from '../targets.js';
import type { Decision } from '../types.js';
import { isOpenTo } from '../documents/federation.js';
import { Statements, type AccessEstate } from './estate.js';
import { bestOf } from './left.js';
import { INTERNET, type AccessEdge } from './types.js';

/** Identities of one account that a resource which names the account as a whole is held against. */
const MOST_OF_ACCOUNT = 200;
/** By which outsiders take an identity on, beside the usual action. */
const FEDERATED = ['sts:AssumeRoleWithWebIdentity', 'sts:AssumeRoleWithSAML'];

/**
 * What the policies of a resource, or those that say who may take an identity on, give to whom they name.
 * @param isAdministrator whether an identity may do everything in its account, for sure: it gains nothing there
 */
export function givenBy(estate: AccessEstate, uid: string, isAdministrator: (uid: string) => boolean): AccessEdge[] {
  const { access, targets } = estate;
  const type = estate.typeOf(uid);
  const actions = targets.get(type);
  const edges = new Map<string, AccessEdge>();
  const add = (edge: AccessEdge) => {
    const key = `${edge.from} ${edge.kind} ${edge.privilege}`;
    // of two names of the same one the surer counts
    if (edges.get(key)?.conditional !== false) edges.set(key, edge);
  };
  const assumed = access.privileges.assumed.find((one) => one.type.includes(type));
  for (const principal of access.namedBy(uid)) {
    if (actions !== undefined) {
      const asked = (who: string) => ON_RESOURCES.some((level) => actions[level].some((action) => estate.heldBy(who).has(action)));
      for (const who of callers(estate, uid, principal, false, asked)) {
        const weigh = access.toward(who, uid);
        for (const level of ON_RESOURCES) {
          const best = bestOf(weigh, actions[level]);
          if (best !== undefined) add({ ...edgeOf(estate, who, uid, best), kind: 'may_access', privilege: level });
        }
      }
    }
    if (assumed !== undefined) {
      const isOwn = principal.name === estate.accountOfResource(uid);
      const asked = (who: string) => estate.heldBy(who).has(assumed.action) && !(isOwn && isAdministrator(who));
      for (const who of callers(estate, uid, principal, true, asked)) {
        const best = bestOf(access.toward(who, uid), [assumed.action, ...FEDERATED]);
        if (best === undefined) continue;
        add({ ...edgeOf(estate, who, uid, best), kind: 'may_assume', privilege: null });
        if (isOpenTo(principal.name, access.statementsOf(uid)))
          add({ ...edgeOf(estate, who, uid, best), from: INTERNET, kind: 'may_assume', privilege: null, conditional: false });
      }
    }
  }
  return [...edges.values()];
}

/** Who is meant by a principal. What the account of a resource may do as a whole, its identities do by policies of their own. */
function callers(
  estate: AccessEstate,
  uid: string,
  { kind, name }: Principal,
  own: boolean,
  asked: (who: string) => boolean,
): readonly string[] {
  if (kind === 'everybody') return ['*'];
  // programs of the provider act for others
  if (kind === 'stranger') return !own && name.startsWith('Service:') ? [] : [name];
  if (kind === 'identity') return [name];
  if (name === estate.accountOfResource(uid) && !own) return [];
  const identities = estate.access.identitiesOf(name);
  if (identities.length === 0) return [`Outside:${name}`];
  return identities.filter(asked).slice(0, MOST_OF_ACCOUNT);
}

function edgeOf(estate: AccessEstate, who: string, to: string, decision: Decision): Omit<AccessEdge, 'kind' | 'privilege'> {
  const by = new Statements();
  decision.by.forEach((one) => by.add(one));
  return {
    from: estate.sourceOf(who),
    to,
    conditional: decision.answer === 'conditional',
    assumed: decision.assumed.length > 0,
    by: by.list,
    way: null,
    accounts: estate.accountsOf(who, to),
  };
}
