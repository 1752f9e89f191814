import { clusterObjectPlace, clusterPlace } from '../../normalize/cluster-object.js';
import { configurationItems } from '../../normalize/configuration-finding.js';
import type { Surroundings } from '../../normalize/json-format.js';
import { safeId, type PlaceDraft, type ReportItems } from '../../normalize/observation.js';
import { severityOfScore } from '../../normalize/severity.js';
import type { JsonObject } from '../../readers/json/fields.js';
import { numberAt, objectAt, objectsAt, textAt, textsAt } from '../../readers/json/fields.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import { BrokenRecord } from '../../readers/record.js';
import type { ImportItem, ImportOptions } from '../../types.js';
import { frameworkReference } from './context.js';

const MAX_PATHS = 50;
/** Where controls stand: in the report of one framework, or in one of those of several. */
const CONTROLS = ['', '$[*].', 'frameworks[*].', 'frameworkReports[*].'].map((at) => `${at}controlReports[*]`);
const CONTROL_MEMBERS = ['controlID', 'id', 'name', 'description', 'remediation', 'baseScore', 'scoreFactor'];

/** The responses of rules in the first format of Kubescape's results (before version 2.1, and with `--format-version v1`). */
export const RESPONSES = CONTROLS.map((control) => `${control}.ruleReports[*].ruleResponses[*]`);
export const FIRST_FORMAT_AROUND = [
  ...CONTROLS.flatMap((control) => CONTROL_MEMBERS.map((name) => `${control}.${name}`)),
  ...CONTROLS.map((control) => control.slice(0, -'controlReports[*]'.length)).map((at) => `${at}name`),
  '$[*].clusterName',
];

/**
 * Turns a response of a rule of a control into an observation for each object that it names. Only what failed has responses: what is not seen
 * again is closed by what the report covers.
 */
export function readRuleResponse(
  record: JsonObject,
  item: JsonValueItem,
  { surroundings, cluster, options }: { surroundings: Surroundings; cluster: string | undefined; options: ImportOptions },
  items: ReportItems,
): ImportItem[] {
  const control = item.path.slice(0, item.path.indexOf('.ruleReports'));
  const controlText = (name: string) => surroundings.textNear(`${control}.${name}`, item.indices);
  const named = controlText('controlID') ?? controlText('id') ?? controlText('name');
  if (named === undefined) throw new BrokenRecord('the control of the response has neither id nor name');
  const id = safeId(named);
  const status = textAt(record, 'status') ?? textAt(record, 'alertStatus');
  if (objectAt(record, 'exception') !== undefined || (status !== undefined && !/^(?:failed|warning)$/i.test(status))) return [];
  const scores = Object.fromEntries(
    ['baseScore', 'scoreFactor'].map((name) => [name, surroundings.near(`${control}.${name}`, item.indices)]),
  );
  const score = numberAt(scores, 'baseScore') ?? numberAt(scores, 'scoreFactor') ?? numberAt(record, 'alertScore');
  const framework = surroundings.textNear(`${control.slice(0, -'controlReports[*]'.length)}name`, item.indices);
  const fixes = objectsAt(record, 'fixPaths').flatMap((fix) => textAt(fix, 'path') ?? []);
  return placesOf(objectAt(record, 'alertObject'), cluster, options).flatMap((place) =>
    configurationItems(
      {
        source: 'kubescape',
        engine: 'container-security',
        ruleId: id,
        title: controlText('name') ?? id,
        description: controlText('description'),
        message: textAt(record, 'alertMessage'),
        severity: score === undefined ? 'medium' : severityOfScore(score),
        result: 'FAIL',
        place,
        guidance: controlText('remediation'),
        urls: /^C-\d{4}$/.test(id) ? [`https://kubescape.io/docs/controls/${id.toLowerCase()}/`] : [],
        controls: frameworkReference(framework, id),
        evidence: { failed_paths: [...new Set([...textsAt(record, 'failedPaths'), ...fixes])].slice(0, MAX_PATHS) },
        position: item.position,
      },
      items,
    ),
  );
}

/** The objects that a response speaks of: those of the cluster, one from elsewhere, or the cluster. */
function placesOf(alert: JsonObject | undefined, cluster: string | undefined, options: ImportOptions): PlaceDraft[] {
  const external = objectAt(alert, 'externalObjects');
  const objects = [...objectsAt(alert, 'k8sApiObjects'), ...(external === undefined ? [] : [external])];
  const places = objects.flatMap((object) => {
    const kind = textAt(object, 'kind');
    const name = textAt(objectAt(object, 'metadata'), 'name') ?? textAt(object, 'name');
    const namespace = textAt(objectAt(object, 'metadata'), 'namespace') ?? textAt(object, 'namespace');
    return kind === undefined || name === undefined ? [] : [clusterObjectPlace({ kind, namespace, name }, cluster, options)];
  });
  return places.length === 0 ? [clusterPlace(cluster, options)] : places;
}
