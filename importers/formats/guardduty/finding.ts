import { camelCased } from '../../normalize/camel-case.js';
import { cloudItems } from '../../normalize/cloud-finding.js';
import type { ReportItems } from '../../normalize/observation.js';
import type { ListedRecord } from '../../normalize/record-list.js';
import { severityOfScore } from '../../normalize/severity.js';
import {
  BrokenRecord,
  compact,
  member,
  numberAt,
  objectAt,
  objectsAt,
  requireText,
  textAt,
  textsAt,
  type JsonObject,
} from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../../types.js';
import { actionEvidence } from './action.js';
import { guardDutyPlace } from './resource.js';

/** Turns one GuardDuty finding into its rule (the first time) and its observation; throws BrokenRecord naming what is missing. */
export function readGuardDutyFinding(
  record: JsonObject,
  { position, inList }: ListedRecord,
  options: ImportOptions,
  items: ReportItems,
): ImportItem[] {
  const detail = objectAt(record, 'detail');
  const finding = camelCased(detail ?? record);
  const type = requireText(finding, 'type');
  const id = requireText(finding, 'id');
  const severity = numberAt(finding, 'severity');
  if (severity === undefined) throw new BrokenRecord('severity is missing, or no number');
  const service = objectAt(finding, 'service');
  const sequence = objectAt(objectAt(service, 'detection'), 'sequence');
  const indicators = objectsAt(sequence, 'sequenceIndicators');
  const named = (key: string): string[] =>
    indicators.filter((one) => textAt(one, 'key')?.includes(key) === true).flatMap((one) => textsAt(one, 'values'));
  const purpose = type.slice(0, type.search(/[:/]|$/));
  const description = textAt(finding, 'description');
  return cloudItems(
    {
      source: 'guardduty',
      engine: 'cdr',
      // as Security Hub names it, so that a finding that came through it is the same
      ruleId: type.replaceAll('/', '-'),
      ruleTitle: type,
      title: textAt(finding, 'title') ?? type,
      description,
      describes: 'finding',
      detail: description,
      severity: severityOfScore(severity),
      result: member(service, 'archived') === true ? 'PASS' : 'FAIL',
      // events and exported lines tell of what is new, and close no other
      place: guardDutyPlace(finding, inList && detail === undefined ? undefined : id, options),
      discriminator: id,
      urls: [`https://docs.aws.amazon.com/guardduty/latest/ug/guardduty_finding-types-active.html`],
      techniques: named('TECHNIQUE'),
      tactics: [purpose, ...named('TACTIC')],
      evidence: {
        finding_id: textAt(finding, 'arn') ?? id,
        types: [type],
        severity,
        confidence: numberAt(finding, 'confidence'),
        detector_id: textAt(service, 'detectorId'),
        feature: textAt(service, 'featureName'),
        resource_role: textAt(service, 'resourceRole'),
        count: numberAt(service, 'count'),
        first_observed_at: textAt(service, 'eventFirstSeen') ?? textAt(finding, 'createdAt'),
        last_observed_at: textAt(service, 'eventLastSeen') ?? textAt(finding, 'updatedAt'),
        archived: member(service, 'archived'),
        ...actionEvidence(finding),
        signals: objectsAt(sequence, 'signals')
          .slice(0, 20)
          .map((signal) => compact({ name: textAt(signal, 'name'), type: textAt(signal, 'type'), count: numberAt(signal, 'count') })),
        indicators: indicators.slice(0, 20).map((one) => compact({ key: textAt(one, 'key'), values: textsAt(one, 'values').slice(0, 20) })),
      },
      tags: [purpose],
      position,
    },
    items,
  );
}
