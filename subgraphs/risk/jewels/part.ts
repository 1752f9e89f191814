import type { EngineContext } from '../../../kit/engine/context.js';
import type { EnginePart } from '../../../kit/engine/engine.js';
import { derivations } from '../../../kit/engine/kept-rows.js';
import { loaderOf } from '../../../kit/engine/loader.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { readStandings } from '../../../kit/read/inventory.js';
import { reachLoader } from '../reckoning/sight.js';
import { jewelBatch, listJewels, reasonOf, type JewelFilter } from './list.js';
import { markJewel, type MarkedJewel } from './mark.js';
import { crownJewels, type JewelFigures } from './records.js';

const standingLoader = loaderOf(async (context: EngineContext, uids: readonly string[]) => {
  const found = await readStandings(context, uids);
  return uids.map((uid) => found.get(uid)!);
});
const standingOf = ({ resource_uid }: MarkedJewel, context: EngineContext) => standingLoader(context).load(resource_uid);

const figure = (name: keyof JewelFigures) => (jewel: MarkedJewel) => jewel.decision?.[name] ?? null;

/** The resources whose loss would hurt the business: GET and PUT /risk/crown-jewels. */
export const jewelsPart: EnginePart = {
  prefixes: ['risk'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: {
      crown_jewels: (_, args: JewelFilter, context) => listJewels(context, args),
      crown_jewels_model: (_, args: Parameters<typeof jewelBatch>[1], context) => jewelBatch(context, args),
    },
    Mutation: {
      mark_crown_jewel: (_, args: { resource_uid: string; input: object }, context) => markJewel(context, args.resource_uid, args.input),
    },
    CrownJewel: {
      reason: (jewel: MarkedJewel) => reasonOf(jewel),
      value: figure('value'),
      value_per_hour: figure('value_per_hour'),
      records: figure('records'),
      record_class: figure('record_class'),
      fines: figure('fines'),
      has_figures: ({ decision }: MarkedJewel) =>
        [decision?.value, decision?.value_per_hour, decision?.records, decision?.fines].some((one) => one != null),
      set_by: ({ decision }: MarkedJewel) => decision?.by ?? null,
      set_at: ({ decision }: MarkedJewel) => decision?.at ?? null,
      paths: async ({ resource_uid }: MarkedJewel, _args, context) => (await reachLoader(context).load(resource_uid)).paths,
      likelihood: async ({ resource_uid }: MarkedJewel, _args, context) => (await reachLoader(context).load(resource_uid)).likelihood,
      data_classes: async (jewel: MarkedJewel, _args, context) => (await standingOf(jewel, context)).data_classes,
      exposure: async (jewel: MarkedJewel, _args, context) => (await standingOf(jewel, context)).exposure,
      open_findings: async (jewel: MarkedJewel, _args, context) => (await standingOf(jewel, context)).open_findings,
    },
  },
  routes: [
    { method: 'GET', path: '/risk/crown-jewels', field: 'crown_jewels', tag: 'risk' },
    { method: 'PUT', path: '/risk/crown-jewels/{resource_uid}', field: 'mark_crown_jewel', tag: 'risk' },
  ],
  collections: [crownJewels, derivations],
};
