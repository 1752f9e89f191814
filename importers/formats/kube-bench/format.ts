import type { Severity } from '../../../schema/model.js';
import { clusterPlace } from '../../normalize/cluster-object.js';
import { configurationItems } from '../../normalize/configuration-finding.js';
import { withDocuments } from '../../normalize/documents.js';
import { jsonFormat, type Surroundings } from '../../normalize/json-format.js';
import type { PlaceDraft } from '../../normalize/observation.js';
import { coverage } from '../../normalize/scope.js';
import { member, requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ControlReference, ImportOptions } from '../../types.js';

/** The lists of controls that a report may have: with totals, without them, and the one control of early releases. */
const CONTROLS = ['Controls[*].', '$[*].', ''];
const MEMBERS = ['version', 'detected_version', 'text', 'node_type', 'tests[*].desc'];
const PATHS = ['Controls[].', '[].', ''];

interface KubeBenchContext {
  place: PlaceDraft;
  surroundings: Surroundings;
  options: ImportOptions;
}

const json = jsonFormat<KubeBenchContext>({
  name: 'kube_bench',
  label: 'kube-bench JSON',
  engines: ['container-security'],
  detection: 'A JSON object with `Controls`, or an array, of objects with a `node_type` and `tests` by `section`.',
  produce: 'kube-bench run --json --outputfile report.json',
  expected: 'a kube-bench report ({"Controls": [{"id": ..., "node_type": ..., "tests": [...]}]})',
  roots: ['object', 'array'],
  isOfFormat: (outline) =>
    PATHS.some(
      (at) =>
        outline.has(`${at}tests[].results[].test_number`) ||
        (outline.has(`${at}node_type`) && outline.has(`${at}tests`)) ||
        (outline.has(`${at}tests[].section`) && outline.has(`${at}tests[].desc`)),
    ) || outline.has('Totals.total_pass'),
  markers: ['Controls', 'tests', '[].tests'],
  records: CONTROLS.map((at) => `${at}tests[*].results[*]`),
  around: CONTROLS.flatMap((at) => MEMBERS.map((name) => `${at}${name}`)),
  context: (surroundings, options) => ({ place: clusterPlace(undefined, options), surroundings, options }),
  covers: ({ place, surroundings, options }) =>
    [...new Set(CONTROLS.flatMap((at) => surroundings.all(`${at}node_type`).map(({ value }) => sourceOf(value))))].map((source) =>
      coverage('container-security', place.artifact as string, source, options),
    ),
  convert(record, item, { place, surroundings }, items) {
    const number = requireText(record, 'test_number');
    const verdict = verdictOf(record);
    if (verdict === undefined) return [];
    const at = item.path.slice(0, item.path.indexOf('tests[*]'));
    const near = (name: string): string | undefined => surroundings.textNear(`${at}${name}`, item.indices);
    const version = near('version') ?? 'unknown';
    const nodeType = near('node_type');
    return configurationItems(
      {
        source: sourceOf(nodeType),
        engine: 'container-security',
        // the numbers of one benchmark's sections mean other things in another's
        ruleId: `kube-bench-${version}-${number}`,
        title: `${number} ${(textAt(record, 'test_desc') ?? near('tests[*].desc') ?? '').replace(/\s*\((?:Automated|Manual|Scored|Not Scored)\)\s*$/, '')}`,
        message: textAt(record, 'reason'),
        ...verdict,
        place,
        part: nodeType,
        guidance: textAt(record, 'remediation'),
        controls: controlsOf(version, number),
        tags: [near('text'), near('tests[*].desc')],
        evidence: {
          status: textAt(record, 'status'),
          node_type: nodeType,
          benchmark: version,
          kubernetes_version: near('detected_version'),
          audit: textAt(record, 'audit'),
          expected: textAt(record, 'expected_result'),
          actual: textAt(record, 'actual_value'),
          scored: member(record, 'scored') === true,
          manual: textAt(record, 'type') === 'manual' || undefined,
        },
        position: item.position,
      },
      items,
    );
  },
});

/**
 * kube-bench's JSON report, or one a line, as its early releases wrote one for each kind of node. One result is one record: failed ones and
 * warnings open, passed ones close, others give nothing.
 */
export const format = withDocuments(json);

/** kube-bench runs on each kind of node for itself: what a report of one does not tell is not over on the others. */
const sourceOf = (nodeType: unknown): string => (typeof nodeType === 'string' && nodeType !== '' ? `kube_bench_${nodeType}` : 'kube_bench');

/**
 * What came of a test. kube-bench knows no severities: what fails is medium; a warning is low where a test that does not count for the
 * benchmark's score did not pass, and a reminder where nobody but a person can tell.
 */
function verdictOf(record: JsonObject): { result: 'FAIL' | 'PASS'; severity: Severity } | undefined {
  switch (textAt(record, 'status')?.toUpperCase()) {
    case 'FAIL':
      return { result: 'FAIL', severity: 'medium' };
    case 'WARN':
      return { result: 'FAIL', severity: textAt(record, 'expected_result') === undefined ? 'info' : 'low' };
    case 'PASS':
      return { result: 'PASS', severity: 'medium' };
    default:
      return undefined;
  }
}

/** The benchmark that a version of kube-bench's configuration stands for: `cis-1.23`, `1.6`, `eks-1.0.1`, `rh-1.0`. */
function controlsOf(version: string, number: string): ControlReference[] {
  const [, vendor, cis] = /^(?:([a-z0-9]+)-)?(?:cis-)?(\d+(?:\.\d+)+)$/.exec(version) ?? [];
  if (cis === undefined || !/^\d+(?:\.\d+)+$/.test(number)) return [];
  const name = vendor === undefined || vendor === 'cis' ? 'CIS Kubernetes Benchmark' : `CIS ${vendor.toUpperCase()} Benchmark`;
  return [{ framework: `${name} v${cis}`, control_id: number }];
}
