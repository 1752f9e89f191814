import { findingId } from '../../../kit/findings/row.js';
import type { DetectionAbout, Sequence } from '../../../catalog/detections/compile.js';
import { loadDetections } from '../../../catalog/detections/rule-set.js';
import { tacticsOf } from '../../../catalog/attack.js';
import type { EngineContext, IngestSinks } from '../../../kit/engine/context.js';
import { DETECTION_SOURCE, type Detected } from '../../../kit/engine/event-pack.js';
import { tenantPrefix } from '../events/records.js';
import { actorType } from '../../../kit/engine/actor-type.js';
import { DETECTIONS, discriminatorOf } from './note.js';
import {
  cdrDetectionEvents,
  cdrDetections,
  detectionRowId,
  eventsOfDetection,
  type DetectionEventRow,
  type DetectionRow,
} from './records.js';
import { sequenceOf, type Chain } from './sequence.js';
import { togetherOf } from './together.js';
import { burstOf } from './threshold.js';

/** Events that a finding names. */
const MOST_NAMED = 50;
const DAY = 86_400_000;

/** What rules have seen in the events of a run, one event after the other or by their number, with all that earlier runs have brought of it. */
export const detected: IngestSinks['detected'] = (context, { scan_run_id }) => raised(context, scan_run_id, loadDetections().all, false);

/** As `detected`, by these rules. @param tellsPassed whether what the run touched and no rule sees any more is told as passed */
export async function* raised(
  context: EngineContext,
  scan_run_id: string,
  all: ReadonlyMap<string, DetectionAbout>,
  tellsPassed: boolean,
): AsyncGenerator<Detected> {
  const rows = context.collection(cdrDetections).scan({ scan_run_id }, { batchSize: 200 });
  for await (const row of rows) {
    context.signal.throwIfAborted();
    const about = all.get(row.rule_id);
    // a rule of another release
    if (about === undefined) continue;
    if (about.sequence !== null) yield* sequencesOf(context, about, about.sequence, row, scan_run_id, tellsPassed);
    else {
      const found = about.threshold === null ? await lastEvents(context, row) : await burstOf(linksOf(context, row), about.threshold);
      if (found.length > 0 || tellsPassed) yield detectedOf(about, row, found);
    }
  }
}

/** A sequence is of the day on which it ends, and may have begun the day before: what a run brings of one day may end on the next. */
async function* sequencesOf(
  context: EngineContext,
  about: DetectionAbout,
  sequence: Sequence,
  row: DetectionRow,
  scan_run_id: string,
  tellsPassed: boolean,
): AsyncGenerator<Detected> {
  const next = await context.collection(cdrDetections).findOne({ _id: rowIdOfDay(row, 1) });
  // one that the run touched itself comes by itself
  const days = next === null || next.scan_run_id === scan_run_id ? [row] : [row, next];
  for (const day of days) {
    const chain = await (sequence.ordered ? sequenceOf : togetherOf)(linksOfDays(context, day), sequence, new Date(day.day));
    // by the time, which is another order than that of the steps where these may come as they like
    const steps = chain.map((link, n) => ({ link, step: sequence.steps[n]! }));
    steps.sort((one, other) => one.link.at.getTime() - other.link.at.getTime());
    const found = steps.map(({ link }) => link);
    if (chain.length > 0 || tellsPassed)
      yield detectedOf(
        about,
        day,
        found,
        steps.map(({ step }) => step),
      );
  }
}

/** The id of what the same rule has seen the same actor do in the same account some days later. */
function rowIdOfDay({ tenant_id, rule_id, actor, account_id, day }: DetectionRow, later: number): string {
  const other = new Date(Date.parse(day) + later * DAY).toISOString().slice(0, 10);
  return detectionRowId(
    tenant_id,
    findingId(DETECTIONS, { rule_id, resource_uid: actor, discriminator: discriminatorOf({ account_id, day: other }) }),
  );
}

/** The events of the day before, and then those of the day. */
async function* linksOfDays(context: EngineContext, row: DetectionRow): AsyncIterable<DetectionEventRow> {
  yield* linksOf(context, { ...row, _id: rowIdOfDay(row, -1) });
  yield* linksOf(context, row);
}

const findingOf = ({ _id, tenant_id }: DetectionRow): string => _id.slice(tenantPrefix(tenant_id).length);

function linksOf(context: EngineContext, row: DetectionRow): AsyncIterable<DetectionEventRow> {
  const own = eventsOfDetection(row.tenant_id, findingOf(row));
  return context.collection(cdrDetectionEvents).scan({ _id: { $gte: own, $lt: `${own}~` } }, { sort: { _id: 1 }, batchSize: 500 });
}

/** The last events, newest first. */
function lastEvents(context: EngineContext, row: DetectionRow): Promise<DetectionEventRow[]> {
  const own = eventsOfDetection(row.tenant_id, findingOf(row));
  return context.collection(cdrDetectionEvents).find({ _id: { $gte: own, $lt: `${own}~` } }, { sort: { _id: -1 }, limit: MOST_NAMED });
}

/** @param found nothing where it passes. @param steps of a sequence, of which `found` has the events */
function detectedOf(about: DetectionAbout, row: DetectionRow, found: Chain, steps: readonly string[] = []): Detected {
  const { rule_id, title, description, severity, techniques, references, falsepositives, response, by } = about;
  const { provider, account_id, region, actor, actor_kind, actors = [] } = row;
  const isSequence = steps.length > 0;
  const [first_at, last_at, count] = isSequence ? [found[0]!.at, found.at(-1)!.at, found.length] : [row.first_at, row.last_at, row.count];
  const texts = {
    ...{ rule_id, engine: DETECTIONS, title, description, severity, source: DETECTION_SOURCE },
    remediation: { steps: response.map((action) => ({ action })) },
    references: references.map((url) => ({ url })),
    mitre_techniques: [...techniques],
    mitre_tactics: tacticsOf(techniques),
  };
  const ids = found.map(({ _id }) => _id.slice(_id.lastIndexOf('|') + 1));
  const evidence = {
    status_detail: `${actor}: ${(isSequence ? steps : row.actions.slice(0, 5)).join(', ')}; ${count} ${count === 1 ? 'event' : 'events'} from ${first_at.toISOString()} to ${last_at.toISOString()}.`,
    event_name: row.actions[0],
    event_source: row.services[0],
    ...(by === 'actor' ? { principal: actor, source_ip: row.sources[0] } : { principals: actors, source_ip: actor }),
    first_observed_at: first_at.toISOString(),
    last_observed_at: last_at.toISOString(),
    count,
    event_names: row.actions,
    source_ips: row.sources,
    user_agents: row.agents,
    sessions: row.sessions,
    outcomes: row.outcomes,
    resources: row.resources,
    event_ids: ids.slice(0, MOST_NAMED),
    ...(isSequence && { steps: found.map(({ at }, n) => ({ step: steps[n], event_id: ids[n], at: at.toISOString() })) }),
    benign_causes: [...falsepositives],
  };
  return {
    rule: texts,
    observation: {
      ...texts,
      ...{
        provider,
        region,
        evidence,
        result: found.length > 0 ? 'FAIL' : 'PASS',
        resource_uid: actor,
        resource_type: by === 'actor' ? actorType(provider, actor_kind) : 'ip_address',
      },
      resource_name: actor.split(/[/]/).at(-1) || actor,
      ...(account_id !== null && { account_id }),
      discriminator: discriminatorOf(row),
      position: `detection ${rule_id} of ${actor}`,
    },
  };
}
