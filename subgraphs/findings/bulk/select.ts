import { holds } from '../../../kit/base/auth-context.js';
import { missingPermission, notFound, type PalisadeError } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { FindingFacts } from '../../../kit/engine/finding-facts.js';
import { findingRowId, findings } from '../../../kit/findings/row.js';

/** A finding as a call names it: the engine that holds it, or why there is none. */
export type Named = { readonly id: string } & (
  { readonly facts: FindingFacts; readonly error: null } | { readonly facts: null; readonly error: PalisadeError }
);

/** The findings that a call names, each once, in its order: permission comes before the look-up. */
export async function namedFindings({ auth, services }: EngineContext, named: readonly string[]): Promise<Named[]> {
  const readable = services.findingEngines.filter(({ permission }) => holds(auth, permission));
  const asked = [...new Set(named)].map((text) => {
    const [id, ...rest] = text.split('/').reverse();
    const segment = rest.reverse().join('/');
    return { id: id!, facts: segment === '' ? null : services.findingEngines.find(({ viewSegment }) => viewSegment === segment), segment };
  });
  const engines = readable.map(({ engine }) => engine);
  const rowIds = asked.flatMap(({ id }) => engines.map((engine) => findingRowId(auth.tenant_id, engine, id)));
  const rows = await services.database
    .tenant(auth.tenant_id)
    .engines(engines)
    .collection(findings)
    .find({ _id: { $in: rowIds } }, { fields: ['engine', 'finding_id', 'former_engines'] });
  const taken = new Set<string>();
  return asked.flatMap(({ id, facts, segment }): Named[] => {
    if (facts && !holds(auth, facts.permission)) return [{ id, facts: null, error: missingPermission(facts.permission) }];
    const row = rows.find(
      (one) =>
        one.finding_id === id &&
        (segment === '' || one.engine === facts?.engine || (facts != null && one.former_engines.includes(facts.engine))),
    );
    if (!row) return [{ id, facts: null, error: notFound('Finding') }];
    if (taken.has(row._id)) return [];
    taken.add(row._id);
    return [{ id, facts: readable.find(({ engine }) => engine === row.engine)!, error: null }];
  });
}
