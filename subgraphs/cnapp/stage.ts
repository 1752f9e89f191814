import { createTimeSlice } from '../../kit/base/time-slice.js';
import type { EngineContext, IngestSinks } from '../../kit/engine/context.js';
import { derivedResources, keepDerivedOn, type DerivedFailure } from '../../kit/findings/derived.js';
import { readAssets, readClassified } from '../../kit/read/inventory.js';
import { COMBINATIONS } from './combination.js';
import { kindsOfTypes, type Subject } from './estate.js';
import { matchCombination } from './match.js';
import { affectedBy, Surroundings } from './surroundings.js';

/** Resources that are looked at together, and whose findings are written together. */
const AT_ONCE = 200;

/** Looks for combinations at what a run has seen, at what that is a neighbour of, and where there are some already. */
export const combineAfterRun: IngestSinks['conclude'] = async (context, run) => {
  const seen = new Set<string>();
  for await (const { resource_uid, resource_type } of readClassified(context, { scan_run_id: run.scan_run_id }))
    if (kindsOfTypes().has(resource_type)) seen.add(resource_uid);
  // what the run's inventory tells of resources that it does not show: rights by a policy, for one
  const engines = context.services.findingEngines.map(({ engine }) => engine);
  for await (const uid of derivedResources(context, engines, { scan_run_id: run.scan_run_id })) seen.add(uid);
  const due = await affectedBy(context, [...seen]);
  for await (const uid of derivedResources(context, ['cnapp'])) due.add(uid);
  await combineAt(context, run, due);
};

/** Looks for combinations everywhere: what people have done since the last run, and edges that came late, are in it then. */
export const combineDaily: IngestSinks['daily'] = async (context, run) => {
  const due = new Set<string>();
  for await (const { resource_uid } of readAssets(context, [...kindsOfTypes().keys()])) due.add(resource_uid);
  for await (const uid of derivedResources(context, ['cnapp'])) due.add(uid);
  await combineAt(context, run, due);
};

async function combineAt(context: EngineContext, run: Parameters<IngestSinks['derive']>[1], due: ReadonlySet<string>): Promise<void> {
  const slice = createTimeSlice();
  const uids = [...due];
  for (let at = 0; at < uids.length; at += AT_ONCE) {
    context.signal.throwIfAborted();
    const page = uids.slice(at, at + AT_ONCE);
    const around = await Surroundings.read(context, page);
    const failures: DerivedFailure[] = [];
    for (const uid of page) {
      const subject = around.find(uid);
      if (subject) failures.push(...combinationsOf(subject, around));
      await slice();
    }
    await keepDerivedOn(context, run, 'cnapp', COMBINATIONS, page, failures);
  }
}

function combinationsOf(subject: Subject, around: Surroundings): DerivedFailure[] {
  return [...COMBINATIONS.values()].flatMap((combination) => {
    const sources = matchCombination(combination, subject, (name) => around.neighbours(subject.resource_uid, name));
    if (!sources) return [];
    const parts = combination.parts.map(({ says }) => says);
    const evidence = { combination: combination.title, group: combination.group, parts, sources, status_detail: parts.join(' ') };
    return [{ rule_id: combination.rule_id, resource: subject, evidence }];
  });
}
