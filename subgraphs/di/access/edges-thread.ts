// The thread that derives who may do what on which resources: a large estate holds up nobody, and the work can be ended.
import { accessEdges, type DerivedAccess } from '../../../catalog/access/edges/derive.js';
import type { AccessEdge, AccessNode } from '../../../catalog/access/edges/types.js';
import { AccessModel } from '../../../catalog/access/model.js';
import { serveEstate } from '../../../kit/read/estate-side.js';

/** Edges that are told at a time. */
const AT_ONCE = 500;

export interface EdgesRequest {
  next: { provider: string; accounts: readonly string[] | null };
}
/** Some edges and nodes; none after the last. */
export type EdgesReply = { edges: AccessEdge[]; nodes: AccessNode[] } | null;

serveEstate((assets) => {
  let derived: Iterator<DerivedAccess> | undefined;
  return ({ next: { provider, accounts } }: EdgesRequest): EdgesReply => {
    const asked = accounts && new Set(accounts);
    derived ??= accessEdges(new AccessModel(assets), provider, (account) => asked === null || asked.has(account));
    const page = { edges: [] as AccessEdge[], nodes: [] as AccessNode[] };
    while (page.edges.length < AT_ONCE) {
      const { value, done } = derived.next() as IteratorResult<DerivedAccess, undefined>;
      if (done) return page.edges.length === 0 ? null : page;
      page.edges.push(...value.edges);
      page.nodes.push(...value.nodes);
    }
    return page;
  };
});
