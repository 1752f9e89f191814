// What is asked of a map that has been derived, some hundred times each: nothing of it may grow with the estate, nor with what one resource touches.
import type { EngineContext } from '../kit/engine/context.js';
import type { SeenAsset } from '../kit/engine/ingest-input.js';
import { blastRadius } from '../subgraphs/di/links/blast-radius.js';
import { inventoryGraph, neighbourhood } from '../subgraphs/di/links/graph.js';
import { Random } from './random.js';

const ASKED = 200;
/** What an attacker holds: what code runs on, and who has rights. */
const HELD = /instance|function|virtual_machine|role$|_user$|service_account|assigned_identity/;
const AT_ONCE = 5_000;
export const HUB = 'arn:aws:iam::100000000000:role/hub';

type Ask = (context: EngineContext, resource_uid: string) => Promise<{ cut: boolean } | null>;
const QUESTIONS: Readonly<Record<string, Ask>> = {
  'blast radius of 4 hops': (context, resource_uid) => blastRadius(context, { resource_uid, depth: 4 }),
  'blast radius of 6 hops': (context, resource_uid) => blastRadius(context, { resource_uid, depth: 6 }),
  'relationships of 2 hops': (context, resource_uid) => neighbourhood(context, { resource_uid, depth: 2 }),
  'graph of 2 hops': (context, resource_uid) => inventoryGraph(context, { resource_uid: [resource_uid], depth: 2, limit: 500 }),
};

const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * share))]!;

/** One role that may do what to so many resources. @returns the edges, to be told with it */
export async function tellHub(context: EngineContext, edges: number): Promise<void> {
  const hub: SeenAsset = {
    ...{ provider: 'aws', account_id: '100000000000', region: 'global', resource_type: 'aws_iam_role', resource_name: 'hub' },
    ...{ resource_uid: HUB, configuration: { name: 'hub', arn: HUB } },
  };
  const run = { scan_run_id: 'hub', at: new Date() };
  for (let at = 0; at < edges; at += AT_ONCE)
    await context.services.ingest.assets(
      context,
      run,
      at === 0 ? [hub] : [],
      Array.from({ length: Math.min(AT_ONCE, edges - at) }, (_, n) => ({ from: HUB, to: `${HUB}/${at + n}`, kind: 'may_assume' as const })),
    );
}

/** Asks each question of many resources, or of one again and again, and prints what it took on the clock and of processors. */
export async function askMap(context: EngineContext, seen: readonly SeenAsset[] | string, cpu: () => number): Promise<void> {
  const random = new Random(5);
  const held =
    typeof seen === 'string'
      ? [seen]
      : seen.filter(({ resource_type }) => HELD.test(resource_type)).map(({ resource_uid }) => resource_uid);
  for (const [name, ask] of Object.entries(QUESTIONS)) {
    const took: number[] = [];
    let cut = 0;
    const before = cpu();
    for (let n = 0; n < ASKED; n++) {
      const began = performance.now();
      const answer = await ask(context, random.of(held));
      took.push(performance.now() - began);
      if (answer?.cut === true) cut++;
    }
    const [p50, p95] = [0.5, 0.95].map((share) => percentile(took, share).toFixed(0));
    console.log(
      `    ${name}: p50 ${p50} ms, p95 ${p95} ms; ${(((cpu() - before) / ASKED) * 1_000).toFixed(0)} ms of processors each; ${cut} of ${ASKED} cut`,
    );
  }
}
