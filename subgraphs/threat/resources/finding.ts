import { DETECTION_SOURCE, type Detected } from '../../../kit/engine/event-pack.js';
import type { ObservableKind } from '../../../schema/observables.js';
import { ENGINE, indicatorEvidence, severityOf } from '../indicators/about.js';
import type { IndicatorRow } from '../indicators/records.js';
import type { ShownRow } from './records.js';

/** What is found by indicators of a kind. */
const RULES: Readonly<Record<Exclude<ObservableKind, 'network'>, { rule_id: string; title: string; description: string }>> = {
  address: {
    rule_id: 'palisade-indicator-resource-address',
    title: 'A resource deals with an address that an indicator names',
    description: 'An alert shows the resource with an address that a feed of indicators ascribes to an adversary.',
  },
  domain: {
    rule_id: 'palisade-indicator-resource-domain',
    title: 'A resource deals with a domain that an indicator names',
    description: 'An alert shows the resource with a domain that a feed of indicators ascribes to an adversary.',
  },
  url: {
    rule_id: 'palisade-indicator-resource-url',
    title: 'A resource deals with a URL that an indicator names',
    description: 'An alert shows the resource with a URL that a feed of indicators ascribes to an adversary.',
  },
  file_hash: {
    rule_id: 'palisade-indicator-resource-file-hash',
    title: 'A resource has a file or an image that an indicator names',
    description: 'The digest of a file, or of an image, of the resource is one that a feed of indicators ascribes to an adversary.',
  },
};

/** What tells findings of resources apart. */
export const identityOf = ({ kind, value, resource_uid }: Pick<ShownRow, 'kind' | 'value' | 'resource_uid'>) => ({
  rule_id: RULES[kind === 'network' ? 'address' : kind].rule_id,
  resource_uid,
  discriminator: `${kind}|${value}`,
});

const RESPONSE = [
  'Take the resource off the network, and keep its disks and memory for those who will look at them.',
  'Find out how the file, or the connection, came to be there, and where else it is.',
  'Build the resource anew from what is known to be good, and change what credentials it had.',
  'Ask the feed what the indicator stands for, and whether it still holds.',
];
const BENIGN = [
  'A file or a host that many use, and that an adversary has used as well',
  'A tool of those who test the security of the estate',
];

/**
 * What a resource shows as an observation: what indicators are valid for fails, what none is any more, or what is shown no more, passes.
 * @param valid the surest first
 * @param met all indicators of the value, the surest first
 */
export function shownOf(shown: ShownRow, valid: readonly IndicatorRow[], met: readonly IndicatorRow[]): Detected {
  const { kind, resource_uid, resource_type, resource_name, provider, account_id, region, value } = shown;
  const { title, description } = RULES[kind === 'network' ? 'address' : kind];
  const { rule_id, discriminator } = identityOf(shown);
  const surest = valid[0] ?? met[0]!;
  const about = { title, description, remediation: { steps: RESPONSE.map((action) => ({ action })) } };
  return {
    rule: { ...about, rule_id, engine: ENGINE, source: DETECTION_SOURCE },
    observation: {
      ...about,
      ...{ rule_id, engine: ENGINE, severity: severityOf(surest), provider, region, source: DETECTION_SOURCE },
      result: valid.length > 0 ? 'FAIL' : 'PASS',
      ...{ resource_uid, resource_type },
      ...(resource_name !== null && { resource_name }),
      ...(account_id !== null && { account_id }),
      discriminator,
      evidence: evidenceOf(shown, valid, surest),
      position: `indicator ${value.slice(0, 200)} in what is told of ${resource_uid}`,
    },
  };
}

function evidenceOf({ kind, value, resource_uid, shown_by, ...row }: ShownRow, valid: readonly IndicatorRow[], surest: IndicatorRow) {
  const [first, last] = [row.first_at.toISOString(), row.last_at.toISOString()];
  return {
    status_detail:
      valid.length > 0 ? `${resource_uid}: ${value}, shown from ${first} to ${last}.` : `Nothing ties ${value} to it any more.`,
    indicator: value,
    indicator_type: kind,
    ...indicatorEvidence(valid, surest),
    shown_by,
    first_observed_at: first,
    last_observed_at: last,
    benign_causes: BENIGN,
  };
}
