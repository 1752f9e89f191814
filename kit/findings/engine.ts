import type { FindingStatus } from '../../schema/model.js';
import type { EngineContext } from '../engine/context.js';
import { defineEngine, fieldPrefix, type Engine, type EngineDefinition } from '../engine/engine.js';
import type { FindingFacts } from '../engine/finding-facts.js';
import type { FindingFilter } from './filters.js';
import type { FindingItem } from './item.js';
import { findings } from './row.js';
import { findingSchema } from './schema.js';
import { FindingService } from './service.js';
import { setTicket, type TicketArguments } from './ticket.js';
import { findingCounters } from './counters.js';
import { otherSources } from './other-sources.js';
import { findingRunChanges } from './run-changes.js';
import { countTechniques } from './techniques.js';
import { findingTexts } from './texts.js';
import { loaderOf } from '../engine/loader.js';
import type { PageArguments } from '../store/paging.js';
import type { Route } from '../engine/routes.js';

/** The few facts that make a finding engine; see FindingFacts and EngineDefinition. */
export type FindingEngineDefinition = Omit<EngineDefinition, 'typeDefs' | 'resolvers'> &
  Partial<Pick<EngineDefinition, 'typeDefs' | 'resolvers'>> & { findings: Omit<FindingFacts, 'engine'> };

type Resolvers = EngineDefinition['resolvers'];

/**
 * Makes a finding engine: its part of the findings, the list, summary, detail, timeline and status operations with
 * their REST routes, its findings on every asset, and what scan runs need to ingest.
 * @throws as defineEngine
 */
export function defineFindingEngine(definition: FindingEngineDefinition): Engine {
  const { findings: given, typeDefs = '', resolvers = {}, routes = [], collections = [], ...rest } = definition;
  const facts: FindingFacts = { ...given, engine: definition.name };
  return defineEngine(
    {
      ...rest,
      typeDefs: findingSchema(definition.label, facts) + typeDefs.replaceAll(/^type (Query|Mutation)\b/gm, 'extend type $1'),
      resolvers: merge(findingResolvers(facts), resolvers),
      routes: [...findingRoutes(definition), ...routes],
      collections: [findings, otherSources, findingRunChanges, findingCounters, findingTexts, ...collections],
    },
    facts,
  );
}

/** Lists and summaries are found by the engine's prefix and, as its findings are, by its view segment. */
function findingRoutes({ name, prefixes, findings: { viewSegment } }: FindingEngineDefinition): Route[] {
  const [prefix] = prefixes;
  return ['findings', 'summary'].map((view) => ({
    method: 'GET',
    path: `/${prefix}/${view}`,
    aliases: prefixes.includes(viewSegment) ? [] : [`/${viewSegment}/${view}`],
    field: `${fieldPrefix(name)}_${view}`,
    tag: 'engine-findings',
  }));
}

function findingResolvers(facts: FindingFacts): Resolvers {
  const prefix = fieldPrefix(facts.engine);
  const service = (context: EngineContext) => new FindingService(facts, context);
  // An operation may reach the same asset by every one of its findings: each is read once. A key is a limit and a resource_uid.
  const onAsset = loaderOf(async (context: EngineContext, keys: readonly string[]) => {
    const wanted = keys.map((key) => ({ limit: Number(key.split(' ', 1)[0]), uid: key.slice(key.indexOf(' ') + 1) }));
    const found = new Map<string, FindingItem[]>();
    for (const limit of new Set(wanted.map((one) => one.limit))) {
      const uids = wanted.flatMap((one) => (one.limit === limit ? [one.uid] : []));
      for (const { resource_uid, items } of await service(context).onResources(uids, limit)) found.set(`${limit} ${resource_uid}`, items);
    }
    return keys.map((key) => found.get(key)!);
  });
  return {
    Query: {
      [`${prefix}_findings`]: (_: unknown, args: FindingFilter & PageArguments & { sort?: string }, context: EngineContext) =>
        service(context).list(args),
      [`${prefix}_summary`]: (_: unknown, args: FindingFilter, context: EngineContext) => service(context).summary(args),
      [`${prefix}_finding`]: (_: unknown, args: { finding_id: string }, context: EngineContext) => service(context).record(args.finding_id),
      [`${prefix}_findings_on`]: (_: unknown, args: { resource_uids: string[]; limit: number }, context: EngineContext) =>
        service(context).onResources(args.resource_uids, args.limit),
      [`${prefix}_findings_by_id`]: (_: unknown, args: { finding_ids: string[] }, context: EngineContext) =>
        service(context).byId(args.finding_ids),
      [`${prefix}_techniques`]: (_: unknown, _args: object, { services, auth }: EngineContext) =>
        countTechniques(services.database.tenant(auth.tenant_id).engine(facts.engine)),
      [`${prefix}_timeline`]: (_: unknown, args: { finding_id: string } & PageArguments, context: EngineContext) =>
        service(context).timeline(args.finding_id, args),
    },
    Mutation: {
      [`${prefix}_set_status`]: (
        _: unknown,
        args: { finding_id: string; status: FindingStatus; note?: string | null; expected_version?: number | null },
        context: EngineContext,
      ) => service(context).setStatus(args.finding_id, args.status, args.note ?? null, args.expected_version ?? null),
      [`${prefix}_set_ticket`]: (_: unknown, args: TicketArguments, context: EngineContext) => setTicket(context, facts, args),
    },
    Asset: {
      __resolveReference: (reference: { resource_uid: string }) => reference,
      [`${prefix}_findings`]: (asset: { resource_uid: string }, { limit }: { limit: number }, context: EngineContext) =>
        onAsset(context).load(`${limit} ${asset.resource_uid}`),
    },
    Finding: {
      asset: (finding: FindingItem) => ({ resource_uid: finding.resource_uid }),
      rule: (finding: FindingItem) => ({ rule_id: finding.rule_id }),
    },
  } as Resolvers;
}

/** Both maps of types; fields of the second win. */
function merge(first: Resolvers, second: Resolvers): Resolvers {
  const all = { ...first, ...second } as Record<string, object>;
  for (const [type, fields] of Object.entries(first))
    if (type in second) all[type] = { ...fields, ...(second as Record<string, object>)[type] };
  return all as Resolvers;
}
