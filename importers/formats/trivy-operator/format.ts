import { jsonFormat } from '../../normalize/json-format.js';
import { imageItems } from '../../normalize/image-asset.js';
import { coverage } from '../../normalize/scope.js';
import { alsoYaml } from '../../normalize/yaml-format.js';
import { outlineJson, type JsonOutline } from '../../readers/json/outline.js';
import { readHead } from '../../readers/source.js';
import type { ReportFormat } from '../../types.js';
import { BILL_DEPENDENCIES, BY_NAME, LISTED, OperatorReports, recordsOf, surroundingsOf } from './context.js';
import { readOperatorRecord } from './record.js';
import { billDependency } from './sbom.js';

const GROUP = /^aquasecurity\.github\.io\//;
const RESOURCE = /^[a-z]+reports\.aquasecurity\.github\.io(?:\[\])?$/;

const isByName = (outline: JsonOutline): boolean => [...outline.keys()].some((path) => RESOURCE.test(path));

function isOperator(outline: JsonOutline): boolean {
  return ['', 'items[].', '[].'].some((at) => GROUP.test(outline.get(`${at}apiVersion`) ?? '')) || isByName(outline);
}

const formatOf = (places: readonly string[]): ReportFormat =>
  jsonFormat<OperatorReports>({
    name: 'trivy_operator',
    label: 'Trivy operator reports (JSON or YAML)',
    engines: ['vulnerability', 'container-security', 'secops', 'di'],
    detection:
      'A JSON object, a list of `items` or an array of objects whose `apiVersion` is of aquasecurity.github.io, or the same as YAML.',
    produce:
      'kubectl get vulnerabilityreports,configauditreports,exposedsecretreports,rbacassessmentreports,sbomreports -A -o json > report.json',
    outsideClouds: true,
    expected: 'reports of the Trivy operator ({"apiVersion": "aquasecurity.github.io/v1alpha1", "kind": ..., "report": ...})',
    roots: ['object', 'array'],
    isOfFormat: isOperator,
    markers: ['report', 'items', '[].report', 'status.detailReport', 'status.summaryReport'],
    records: recordsOf(places),
    around: surroundingsOf(places),
    beside: Object.fromEntries(places.map((at) => [`${at}${BILL_DEPENDENCIES}`, billDependency])),
    context: (surroundings, options) => new OperatorReports(surroundings, options),
    covers: (reports) =>
      reports.ofImages.flatMap(({ kind, image, facts }) => {
        if (image === undefined) return [];
        if (kind === 'ExposedSecretReport') return [coverage('secops', image.resource_uid, 'trivy_operator', reports.options)];
        const scope = /SbomReport$/.test(kind) ? [] : [coverage('vulnerability', image.resource_uid, 'trivy_operator', reports.options)];
        return [...scope, ...imageItems(image, facts, 'trivy_operator')];
      }),
    convert: readOperatorRecord,
  });

const listed = formatOf(LISTED);
const byName = formatOf(BY_NAME);

const json: ReportFormat = {
  ...listed,
  async *read(source, options) {
    const { read } = isByName(outlineJson(await readHead(source))) ? byName : listed;
    yield* read(source, options);
  },
};

/**
 * Reports that the Trivy operator (before it Starboard) keeps in a cluster: one, a list of `kubectl get -o json` or `-o yaml`, an array, or lists by
 * the name of the resource. Each vulnerability, check, secret, component of a bill and control of a benchmark is one record.
 */
export const format: ReportFormat = alsoYaml(json, /^(?:items:[ \t]*\r?\n[ \t]*- )?apiVersion:[ \t]*["']?aquasecurity\.github\.io\//m);
