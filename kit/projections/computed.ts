import type { EngineContext } from '../engine/context.js';
import { loaderOf } from '../engine/loader.js';
import { readLinks, readStandings, type ReadLinks } from '../read/inventory.js';
import type { ComputedRow, ProjectionComputed, ProjectionLink } from './facet.js';

/** Fields of every projection that its rows do not hold: read for all rows of a page at once. */
export const COMPUTED: readonly string[] = ['open_findings', 'exposure', 'data_classes'];

type Row = { readonly resource_uid: string; readonly planned?: boolean };

const NOTHING: ReadLinks = { total: 0, items: [] };

const standingLoader = loaderOf(async (context: EngineContext, uids: readonly string[]) => {
  const found = await readStandings(context, uids);
  return uids.map((uid) => found.get(uid)!);
});

/** The resolvers of what a projection's rows do not hold. */
export function computedFields(links: Readonly<Record<string, ProjectionLink>>) {
  const linked = Object.entries(links).map(([name, { edges }]) => {
    const loader = loaderOf(async (context: EngineContext, uids: readonly string[]) => {
      const found = await readLinks(context, uids, edges);
      return uids.map((uid) => found.get(uid) ?? NOTHING);
    });
    return [name, (row: Row, _args: unknown, context: EngineContext) => loader(context).load(row.resource_uid)] as const;
  });
  const standing = (context: EngineContext, { resource_uid }: Row) => standingLoader(context).load(resource_uid);
  return {
    ...Object.fromEntries(linked),
    open_findings: async (row: Row, _args: unknown, context: EngineContext) => (await standing(context, row)).open_findings,
    exposure: async (row: Row, _args: unknown, context: EngineContext) => (await standing(context, row)).exposure,
    data_classes: async (row: Row, _args: unknown, context: EngineContext) => (await standing(context, row)).data_classes,
    planned: (row: Row) => row.planned === true,
  };
}

/** The resolvers of what a projection works out by itself. */
export const ownFields = (computed: Readonly<Record<string, ProjectionComputed>>) =>
  Object.fromEntries(
    Object.entries(computed).map(([name, field]) => [
      name,
      (row: ComputedRow, _args: unknown, context: EngineContext) => field.resolve(row, context),
    ]),
  );
