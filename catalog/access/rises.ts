import type { EdgeKind } from '../../schema/model.js';
import { isAdministrator, type AccessEdge } from './edges/types.js';
import { escalations } from './escalations.js';

/** A way by which one step makes an identity an administrator. */
export interface WayUp {
  readonly id: string;
  readonly title: string;
  readonly needs: readonly string[];
  /** The administrators that it leads to; none where it makes one of the identity itself. */
  readonly identity_uids: readonly string[];
}

/** An identity that has every right, or stands one step away from it. */
export interface Rise {
  readonly identity_uid: string;
  /** The policies and roles that give every right; null for one that has not. */
  readonly administers_by: readonly string[] | null;
  readonly ways: readonly WayUp[];
}

/** What of an edge tells who rises. */
export type RisingEdge = Pick<AccessEdge, 'from' | 'to' | 'privilege' | 'conditional' | 'way'> & {
  readonly kind: EdgeKind;
  readonly by: readonly { readonly resource_uid: string }[];
};

/** Administrators that one way names at most. */
const MOST_WON = 100;
const ACT_AS = { id: 'act-as', title: 'Acts as an administrator', needs: [] };

/**
 * Who has every right, and who comes to it in one step, by the edges of one provider; what is conditional counts for nothing.
 * @param edges those of the kinds `may_access` with the privilege `admin`, `may_assume` and `escalates_to`
 */
export function risesIn(provider: string, edges: readonly RisingEdge[]): Rise[] {
  const sure = edges.filter(({ conditional }) => !conditional);
  const policies = new Map<string, Set<string>>();
  for (const { from, privilege, by } of sure) {
    if (privilege !== 'admin') continue;
    const own = policies.get(from) ?? new Set();
    policies.set(from, own);
    for (const { resource_uid } of by) own.add(resource_uid);
  }
  const known = new Map((escalations().get(provider) ?? []).map((way) => [way.id, way]));
  const ways = new Map<string, Map<string, WayUp & { identity_uids: string[] }>>();
  for (const { from, to, kind, way } of sure) {
    const wins = policies.has(to);
    if (kind === 'may_access' || policies.has(from) || !(wins || isAdministrator(to))) continue;
    const { id, title, needs } = way === null ? ACT_AS : (known.get(way) ?? { id: way, title: way, needs: [] });
    const own = ways.get(from) ?? new Map<string, WayUp & { identity_uids: string[] }>();
    ways.set(from, own);
    const step = own.get(id) ?? { id, title, needs, identity_uids: [] };
    own.set(id, step);
    if (wins && step.identity_uids.length < MOST_WON) step.identity_uids.push(to);
  }
  return [
    ...[...policies].map(([identity_uid, by]): Rise => ({ identity_uid, administers_by: [...by], ways: [] })),
    ...[...ways].map(([identity_uid, own]): Rise => ({ identity_uid, administers_by: null, ways: [...own.values()] })),
  ];
}
