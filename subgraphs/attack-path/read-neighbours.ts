import { networkTypes } from '../../catalog/network/model.js';
import type { Neighbourhood } from '../../catalog/network/neighbours.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { withEstate } from '../../kit/read/estate.js';
import type { ThreadSession } from '../../kit/work/thread-pool.js';
import type { NeighboursReply, NeighboursRequest } from './neighbours-thread.js';
import type { PathsReply, PathsRequest } from './paths-thread.js';
import { readVulnerabilities } from './read-estate.js';

/**
 * Tells the thread of the graph what workloads get to inside of the networks that somebody from outside gets into: first what is weak there, then who
 * gets to that. The networks are read only where somebody does.
 * @param known places whose vulnerabilities the thread has been told already
 */
export async function addNeighbours(
  context: EngineContext,
  paths: ThreadSession<null, PathsRequest, PathsReply>,
  known: readonly string[],
): Promise<void> {
  const { uids: won } = (await paths.ask({ won: true })) as { uids: string[] };
  if (won.length === 0) return;
  await withEstate<void, NeighboursRequest, NeighboursReply>(context, 'neighbours', networkTypes(), async (networks) => {
    const { uids: beside } = (await networks.ask({ beside: won })) as { uids: string[] };
    const { places } = (await paths.ask({ placesOf: beside })) as { places: string[] };
    const told = new Set(known);
    const more = places.filter((place) => !told.has(place));
    for await (const part of readVulnerabilities(context, more)) await paths.ask({ add: part });
    const { uids: weak } = (await paths.ask({ weakOf: beside })) as { uids: string[] };
    if (weak.length === 0) return;
    const neighbourhood = (await networks.ask({ reaching: weak })) as Neighbourhood;
    await paths.ask({ add: { neighbourhood } });
  });
}
