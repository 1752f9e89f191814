import { clusterPlace } from '../../normalize/cluster-object.js';
import { jsonFormat } from '../../normalize/json-format.js';
import { timeAt } from '../../normalize/report-time.js';
import { coverage } from '../../normalize/scope.js';
import { KubescapeContext, SUMMARY_PATHS } from './context.js';
import { readKubescapeControl } from './control.js';

/** Kubescape's JSON report (format version 2). One control of one resource is one record: what failed opens, what passed closes. */
export const format = jsonFormat<KubescapeContext>({
  name: 'kubescape',
  label: 'Kubescape JSON',
  engines: ['container-security'],
  detection: 'A JSON object with `summaryDetails` beside `results` or `resources`, or with `results` of a `resourceID` and `controls`.',
  produce: 'kubescape scan --format json --format-version v2 --output report.json',
  observedAt: timeAt('generationTime'),
  expected: 'a Kubescape report ({"summaryDetails": ..., "results": [{"resourceID": ..., "controls": [...]}]})',
  roots: ['object'],
  isOfFormat: (outline) =>
    (outline.has('results[].resourceID') && (outline.has('results[].controls') || outline.has('results[].prioritizedResource'))) ||
    (outline.has('resources[].resourceID') && (outline.has('resources[].object') || outline.has('resources[].source'))) ||
    outline.has('summaryDetails.frameworks') ||
    (outline.has('summaryDetails.controls') && outline.has('results')) ||
    (outline.has('clusterAPIServerInfo') && outline.has('customerGUID')),
  markers: ['summaryDetails', 'results', 'resources', 'clusterAPIServerInfo'],
  records: ['results[*].controls[*]'],
  around: [
    'clusterName',
    'metadata.contextMetadata.clusterContextMetadata.contextName',
    'results[*].resourceID',
    'resources[*].resourceID',
    'resources[*].source.relativePath',
    ...SUMMARY_PATHS,
  ],
  context: (surroundings, options) => new KubescapeContext(surroundings, options),
  covers({ cluster, options }) {
    return [coverage('container-security', clusterPlace(cluster, options).artifact as string, 'kubescape', options)];
  },
  convert: readKubescapeControl,
});
