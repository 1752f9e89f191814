import { cloudItems } from '../../normalize/cloud-finding.js';
import { cloudPlace } from '../../normalize/cloud-resource.js';
import { parseCloudName } from '../../normalize/cloud.js';
import type { ReportItems } from '../../normalize/observation.js';
import type { ListedRecord } from '../../normalize/record-list.js';
import { toSeverity } from '../../normalize/severity.js';
import { compact, listAt, objectAt, objectsAt, requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../../types.js';
import { SOURCE } from './assessment.js';

/** A dismissed alert says nothing. */
const RESULTS: Readonly<Record<string, 'FAIL' | 'PASS'>> = { active: 'FAIL', new: 'FAIL', inprogress: 'FAIL', resolved: 'PASS' };

/** Turns an alert into its rule (the first time) and its observation of the engine `cdr`. */
export function readAlert(
  record: JsonObject,
  properties: JsonObject,
  { position, inList }: ListedRecord,
  options: ImportOptions,
  items: ReportItems,
): ImportItem[] {
  const type = textAt(properties, 'alertType') ?? textAt(properties, 'alertName') ?? requireText(properties, 'alertDisplayName');
  const id = textAt(properties, 'systemAlertId') ?? textAt(record, 'name') ?? requireText(record, 'id');
  const result = RESULTS[(textAt(properties, 'status') ?? textAt(properties, 'state') ?? 'active').toLowerCase()];
  if (result === undefined) return [];
  const identifiers = objectsAt(properties, 'resourceIdentifiers');
  const resource =
    identifiers.map((one) => textAt(one, 'azureResourceId')).find((one) => one !== undefined) ??
    textAt(properties, 'azureResourceId') ??
    textAt(properties, 'associatedResource') ??
    textAt(properties, 'compromisedEntity');
  const account = parseCloudName(textAt(record, 'id') ?? '')?.account_id;
  const entities = objectsAt(properties, 'entities');
  const ofKind = (kind: string): JsonObject | undefined => entities.find((entity) => textAt(entity, 'type')?.toLowerCase() === kind);
  const description = textAt(properties, 'description');
  const steps = listAt(properties, 'remediationSteps').filter((step) => typeof step === 'string');
  return cloudItems(
    {
      source: SOURCE,
      engine: 'cdr',
      ruleId: type,
      title: textAt(properties, 'alertDisplayName') ?? type,
      description,
      describes: 'finding',
      detail: description,
      severity: toSeverity(textAt(properties, 'severity') ?? textAt(properties, 'reportedSeverity')) ?? 'medium',
      result,
      // an alert that comes alone closes no other
      place: cloudPlace({ uid: resource ?? account ?? 'azure', provider: 'azure', account, artifact: inList ? undefined : id }, options),
      discriminator: id,
      guidance: steps.length > 0 ? steps.join('\n') : textAt(properties, 'remediationSteps'),
      urls: [textAt(properties, 'alertUri') ?? textAt(properties, 'alertLink')],
      techniques: textsAt(properties, 'techniques'),
      tactics: textAt(properties, 'intent')?.split(/\s*,\s*/) ?? [],
      evidence: compact({
        alert_id: id,
        types: [type],
        status: textAt(properties, 'status') ?? textAt(properties, 'state'),
        product: textAt(properties, 'productName'),
        component: textAt(properties, 'productComponentName'),
        compromised_entity: textAt(properties, 'compromisedEntity'),
        first_observed_at: textAt(properties, 'startTimeUtc'),
        last_observed_at: textAt(properties, 'endTimeUtc') ?? textAt(properties, 'timeGeneratedUtc'),
        principal: textAt(ofKind('account'), 'name') ?? textAt(ofKind('account'), 'upnSuffix'),
        source_ip: textAt(ofKind('ip'), 'address'),
        process: textAt(ofKind('process'), 'commandLine') ?? textAt(objectAt(ofKind('process'), 'imageFile'), 'name'),
        details: objectAt(properties, 'extendedProperties'),
      }),
      position,
    },
    items,
  );
}
