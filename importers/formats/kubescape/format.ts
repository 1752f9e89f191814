import { clusterPlace } from '../../normalize/cluster-object.js';
import { jsonFormat } from '../../normalize/json-format.js';
import { timeAt } from '../../normalize/report-time.js';
import { coverage } from '../../normalize/scope.js';
import { KubescapeContext, SUMMARY_PATHS } from './context.js';
import { readKubescapeControl } from './control.js';
import { FIRST_FORMAT_AROUND, readRuleResponse, RESPONSES } from './first-format.js';

/**
 * Kubescape's JSON report. In format version 2 one control of one resource is one record: what failed opens, what passed closes. In version 1
 * one response of a rule is, and only what failed has any.
 */
export const format = jsonFormat<KubescapeContext>({
  name: 'kubescape',
  label: 'Kubescape JSON',
  engines: ['container-security'],
  detection:
    'A JSON object with `summaryDetails` beside `results` or `resources`, with `results` of a `resourceID` and `controls`, or with `controlReports`.',
  produce: 'kubescape scan --format json --format-version v2 --output report.json',
  observedAt: timeAt('generationTime'),
  expected: 'a Kubescape report ({"summaryDetails": ..., "results": [{"resourceID": ..., "controls": [...]}]})',
  roots: ['object', 'array'],
  isOfFormat: (outline) =>
    (outline.has('results[].resourceID') && (outline.has('results[].controls') || outline.has('results[].prioritizedResource'))) ||
    (outline.has('resources[].resourceID') && (outline.has('resources[].object') || outline.has('resources[].source'))) ||
    outline.has('summaryDetails.frameworks') ||
    (outline.has('summaryDetails.controls') && outline.has('results')) ||
    (outline.has('clusterAPIServerInfo') && outline.has('customerGUID')) ||
    ['', '[].', 'frameworks[].', 'frameworkReports[].'].some((at) => outline.has(`${at}controlReports`)),
  markers: ['summaryDetails', 'results', 'resources', 'clusterAPIServerInfo', 'controlReports', '[].controlReports'],
  records: ['results[*].controls[*]', ...RESPONSES],
  around: [
    'clusterName',
    'metadata.contextMetadata.clusterContextMetadata.contextName',
    'results[*].resourceID',
    'resources[*].resourceID',
    'resources[*].source.relativePath',
    ...SUMMARY_PATHS,
    ...FIRST_FORMAT_AROUND,
  ],
  context: (surroundings, options) => new KubescapeContext(surroundings, options),
  covers({ cluster, options }) {
    return [coverage('container-security', clusterPlace(cluster, options).artifact as string, 'kubescape', options)];
  },
  convert: (record, item, context, items) =>
    (item.path.endsWith('ruleResponses[*]') ? readRuleResponse : readKubescapeControl)(record, item, context, items),
});
