import { ConnectionRefused, type Collector, type NotAnswered, type RecordedAnswer, type Target, type TriedService } from '../types.js';
import { AZURE_CALLS } from './calls.js';
import { openAzure, type AzureCollectorOptions } from './client.js';
import { collectGraph } from './collect-graph.js';
import { collectLists, type Thing } from './collect-lists.js';
import { RIGHTS, rightsAt } from './rights.js';

const chosen = ({ services }: Target) => AZURE_CALLS.filter(({ service }) => services.length === 0 || services.includes(service));

/** Asks Azure what there is. */
export function createAzureCollector(options: AzureCollectorOptions): Collector {
  return {
    async *tryOut(target, signal): AsyncGenerator<TriedService> {
      const { client, subscription } = openAzure(options, target);
      const rights = await rightsAt(client, subscription, signal);
      // without it nothing can be told of the others
      if (rights === null) return yield { service: 'resource-graph', permission: RIGHTS, granted: false };
      for (const { service, permissions } of chosen(target))
        for (const permission of permissions) yield { service, permission, granted: rights(permission) };
    },

    async *collect(target, signal): AsyncGenerator<RecordedAnswer | NotAnswered> {
      const azure = openAzure(options, target);
      const rights = await rightsAt(azure.client, azure.subscription, signal);
      const asked = chosen(target).flatMap(({ permissions }) => permissions);
      const missing = rights === null ? [RIGHTS] : asked.filter((permission) => !rights(permission));
      if (rights !== null && missing.length === asked.length)
        throw new ConnectionRefused('The application may read nothing of the subscription: it needs the role of the template there.');
      for (const permission of missing)
        yield { source: `azure/${permission.replace(/\/read$/, '')}`, not_answered: `The permission ${permission} is missing.` };
      const work = { ...azure, target, mayRead: (type: string) => rights === null || rights(`${type}/read`), signal };
      const things: Thing[] = [];
      yield* collectGraph(work, things);
      yield* collectLists(work, things);
    },
  };
}
