import { actorType } from '../../../kit/engine/actor-type.js';
import { DETECTION_SOURCE, type Detected } from '../../../kit/engine/event-pack.js';
import type { ObservableKind } from '../../../schema/observables.js';
import { ENGINE, indicatorEvidence, MOST_NAMED, severityOf } from './about.js';
import type { EventSeen, IndicatorRow, SightingRow } from './records.js';

/** What is found by indicators of a kind; a network is found by its addresses. */
const RULES: Readonly<Record<Exclude<ObservableKind, 'network'>, { rule_id: string; title: string; description: string }>> = {
  address: {
    rule_id: 'palisade-indicator-address',
    title: 'Calls came from an address that an indicator names',
    description: 'An identity was used from an address, or named one, that a feed of indicators ascribes to an adversary.',
  },
  domain: {
    rule_id: 'palisade-indicator-domain',
    title: 'A call names a domain that an indicator names',
    description: 'A URL in a call has a host that a feed of indicators ascribes to an adversary.',
  },
  url: {
    rule_id: 'palisade-indicator-url',
    title: 'A call names a URL that an indicator names',
    description: 'A call has a URL that a feed of indicators ascribes to an adversary.',
  },
  file_hash: {
    rule_id: 'palisade-indicator-file-hash',
    title: 'A call names a file that an indicator names',
    description: 'A call has the digest of a file that a feed of indicators ascribes to an adversary.',
  },
};

const RESPONSE = [
  'Look at all that the identity did on this day, and since.',
  'Ask whoever owns the identity whether they did it. If not, disable its keys and end its sessions.',
  'Ask the feed what the indicator stands for, and whether it still holds.',
];
const BENIGN = [
  'An address or a host that many share, and that an adversary has used as well',
  'An indicator that is older than its owner',
];

/** An indicator that is valid for some events. */
export interface Valid {
  readonly indicator: IndicatorRow;
  readonly events: readonly EventSeen[];
}

/** A sighting as an observation: what indicators are valid for fails, what none is any more passes. @param met all indicators of the value, the surest first */
export function sightedOf(sighting: SightingRow, valid: readonly Valid[], met: readonly IndicatorRow[]): Detected {
  const { kind, value, provider, account_id, region, actor, actor_kind, day } = sighting;
  const { rule_id, title, description } = RULES[kind === 'network' ? 'address' : kind];
  const surest = valid[0]?.indicator ?? met[0]!;
  const severity = severityOf(surest);
  const about = { title, description, remediation: { steps: RESPONSE.map((action) => ({ action })) } };
  return {
    rule: { ...about, rule_id, engine: ENGINE, source: DETECTION_SOURCE },
    observation: {
      ...about,
      ...{ rule_id, engine: ENGINE, severity, provider, region, source: DETECTION_SOURCE },
      result: valid.length > 0 ? 'FAIL' : 'PASS',
      resource_uid: actor,
      resource_type: actorType(provider, actor_kind),
      resource_name: actor.split('/').at(-1) || actor,
      ...(account_id !== null && { account_id }),
      discriminator: `${account_id ?? ''}|${day}|${kind}|${value}`,
      evidence: evidenceOf(sighting, valid, surest),
      position: `indicator ${value.slice(0, 200)} in what ${actor} did`,
    },
  };
}

function evidenceOf({ kind, value, actor, actions }: SightingRow, valid: readonly Valid[], surest: IndicatorRow) {
  const events = [...new Map(valid.flatMap((one) => one.events).map((event) => [event.id, event])).values()].sort(
    (one, other) => one.at.getTime() - other.at.getTime() || (one.id < other.id ? -1 : 1),
  );
  const [first, last] = [events[0]?.at.toISOString(), events.at(-1)?.at.toISOString()];
  return {
    status_detail: first === undefined ? `No indicator names ${value} any more.` : `${actor}: ${value} from ${first} to ${last}.`,
    indicator: value,
    indicator_type: kind,
    ...indicatorEvidence(
      valid.map(({ indicator }) => indicator),
      surest,
    ),
    principal: actor,
    first_observed_at: first ?? null,
    last_observed_at: last ?? null,
    event_names: actions,
    event_ids: events.slice(-MOST_NAMED).map(({ id }) => id),
    benign_causes: BENIGN,
  };
}
