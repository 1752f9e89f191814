import { ConnectionRefused, type CollectedRecord, type Collector, type Target, type TriedService } from '../types.js';
import { AZURE_CALLS } from './calls.js';
import { openAzure, type AzureCollectorOptions } from './client.js';
import { collectGraph } from './collect-graph.js';
import { collectLists } from './collect-lists.js';
import { subscriptionsOf } from './subscriptions.js';
import type { Thing } from './work.js';
import { NOTHING, RIGHTS, rightsAt } from './rights.js';

const chosen = ({ services }: Target) => AZURE_CALLS.filter(({ service }) => services.length === 0 || services.includes(service));

const sourceOf = (permission: string): string => `azure/${permission.replace(/\/read$/, '')}`;

/** Asks Azure what there is. */
export function createAzureCollector(options: AzureCollectorOptions): Collector {
  return {
    async *tryOut(target, signal): AsyncGenerator<TriedService> {
      const { client, subscription } = openAzure(options, target);
      const rights = await rightsAt(client, subscription, signal);
      // services share some: each is told once
      const told = new Set<string>();
      if ('mayDo' in rights)
        for (const { service, permissions } of chosen(target))
          for (const permission of permissions.filter((one) => !told.has(one))) {
            told.add(permission);
            yield { service, permission, granted: rights.mayDo(permission) };
          }
      // without it nothing can be told of the others
      else if (rights.isDenied) yield { service: 'resource-graph', permission: RIGHTS, granted: false };
      else throw new Error(`azure: ${rights.untold}`);
    },

    async *collect(target, signal): AsyncGenerator<CollectedRecord> {
      const azure = openAzure(options, target);
      const rights = await rightsAt(azure.client, azure.subscription, signal);
      const mayDo = 'mayDo' in rights ? rights.mayDo : () => true;
      const asked = chosen(target).flatMap(({ permissions }) => permissions);
      const missing = asked.filter((permission) => !mayDo(permission));
      if (missing.length === asked.length) throw new ConnectionRefused(NOTHING);
      if ('untold' in rights) yield { source: sourceOf(RIGHTS), not_answered: rights.untold };
      for (const permission of new Set(missing))
        yield { source: sourceOf(permission), not_answered: `The permission ${permission} is missing.` };
      const work = { ...azure, target, mayRead: (type: string) => mayDo(`${type}/read`), signal, whole: new Set<string>() };
      const things: Thing[] = [];
      yield* collectGraph(work, things);
      yield* collectLists(work, things);
      yield { source: 'azure', whole: [...work.whole] };
    },

    accounts: (target, signal) => subscriptionsOf(openAzure(options, target).client, signal),
  };
}
