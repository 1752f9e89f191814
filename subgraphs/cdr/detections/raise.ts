import type { DetectionAbout } from '../../../catalog/detections/compile.js';
import { loadDetections } from '../../../catalog/detections/rule-set.js';
import { tacticsOf } from '../../../catalog/attack.js';
import type { EngineContext, IngestSinks } from '../../../kit/engine/context.js';
import { DETECTION_SOURCE, type Detected } from '../../../kit/engine/event-pack.js';
import { tenantPrefix } from '../events/records.js';
import { actorType } from './actor-type.js';
import { DETECTIONS, discriminatorOf } from './note.js';
import { cdrDetectionEvents, cdrDetections, eventsOfDetection, type DetectionEventRow, type DetectionRow } from './records.js';
import { burstOf } from './threshold.js';

/** Events that a finding names. */
const MOST_NAMED = 50;

/** What rules have seen in the events of a run, one event after the other or by their number, with all that earlier runs have brought of it. */
export const detected: IngestSinks['detected'] = async function* (context, { scan_run_id }) {
  const { all } = loadDetections();
  const rows = context.collection(cdrDetections).scan({ scan_run_id }, { batchSize: 200 });
  for await (const row of rows) {
    context.signal.throwIfAborted();
    const about = all.get(row.rule_id);
    // a rule of another release
    if (about === undefined) continue;
    const found = about.threshold === null ? await lastEvents(context, row) : await burstOf(linksOf(context, row), about.threshold);
    if (found.length > 0) yield detectedOf(about, row, found);
  }
};

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

function detectedOf(about: DetectionAbout, row: DetectionRow, found: readonly DetectionEventRow[]): Detected {
  const { rule_id, title, description, severity, techniques, references, falsepositives, response } = about;
  const { tenant_id, provider, account_id, region, actor, actor_kind, first_at, last_at, count } = row;
  const texts = {
    ...{ rule_id, engine: DETECTIONS, title, description, severity, source: DETECTION_SOURCE },
    remediation: { steps: response.map((action) => ({ action })) },
    references: references.map((url) => ({ url })),
    mitre_techniques: [...techniques],
    mitre_tactics: tacticsOf(techniques),
  };
  const ofEvents = eventsOfDetection(tenant_id, findingOf(row)).length;
  const evidence = {
    status_detail: `${actor}: ${row.actions.slice(0, 5).join(', ')}; ${count} ${count === 1 ? 'event' : 'events'} from ${first_at.toISOString()} to ${last_at.toISOString()}.`,
    event_name: row.actions[0],
    event_source: row.services[0],
    principal: actor,
    source_ip: row.sources[0],
    first_observed_at: first_at.toISOString(),
    last_observed_at: last_at.toISOString(),
    count,
    event_names: row.actions,
    source_ips: row.sources,
    user_agents: row.agents,
    sessions: row.sessions,
    outcomes: row.outcomes,
    resources: row.resources,
    event_ids: found.slice(0, MOST_NAMED).map(({ _id }) => _id.slice(ofEvents)),
    benign_causes: [...falsepositives],
  };
  return {
    rule: texts,
    observation: {
      ...texts,
      ...{ provider, region, evidence, result: 'FAIL', resource_uid: actor, resource_type: actorType(provider, actor_kind) },
      resource_name: actor.split(/[/]/).at(-1) || actor,
      ...(account_id !== null && { account_id }),
      discriminator: discriminatorOf(row),
      position: `detection ${rule_id} of ${actor}`,
    },
  };
}
