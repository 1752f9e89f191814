import type { Severity } from '../../../schema/model.js';
import { clusterObjectPlace, clusterPlace } from '../../normalize/cluster-object.js';
import { configurationItems } from '../../normalize/configuration-finding.js';
import { jsonFormat, type Surroundings } from '../../normalize/json-format.js';
import { alsoYaml } from '../../normalize/yaml-format.js';
import { wordsOfCamelCase } from '../../normalize/plain-title.js';
import { timeAt } from '../../normalize/report-time.js';
import { coverage } from '../../normalize/scope.js';
import { toSeverity } from '../../normalize/severity.js';
import { member, requireText, textAt, textsAt } from '../../readers/json/fields.js';
import type { ImportOptions } from '../../types.js';

/** The checks of an object, of its pods, and of their containers. */
const CHECKS = ['Results[*].Results.*', 'Results[*].PodResult.Results.*', 'Results[*].PodResult.ContainerResults[*].Results.*'];
/** Its levels; `danger` was called `error` before version 1. */
const LEVELS: Readonly<Record<string, Severity>> = { danger: 'high', error: 'high', warning: 'medium', ignore: 'info' };

interface PolarisContext {
  surroundings: Surroundings;
  cluster: string | undefined;
  options: ImportOptions;
}

/** Polaris' audit as JSON. One check of one object or container is one record: failed ones open, passed ones close. */
const json = jsonFormat<PolarisContext>({
  name: 'polaris',
  label: 'Polaris JSON or YAML',
  engines: ['container-security'],
  detection: 'A JSON object with `PolarisOutputVersion`, or with `AuditTime` and `ClusterInfo`.',
  produce: 'polaris audit --format json --output-file report.json',
  observedAt: timeAt('AuditTime'),
  expected: 'an audit of Polaris ({"PolarisOutputVersion": "1.0", "Results": [{"Kind": ..., "Results": {...}}]})',
  roots: ['object'],
  isOfFormat: (outline) =>
    outline.has('PolarisOutputVersion') || (outline.has('AuditTime') && (outline.has('ClusterInfo') || outline.has('SourceType'))),
  markers: ['PolarisOutputVersion', 'AuditTime', 'Results'],
  records: CHECKS,
  around: [
    ...['SourceType', 'SourceName', 'DisplayName', 'ClusterInfo.Version'],
    ...['Kind', 'Namespace', 'Name', 'PodResult.ContainerResults[*].Name'].map((name) => `Results[*].${name}`),
  ],
  context: (surroundings, options) => ({
    surroundings,
    // of files the source is their path
    cluster:
      surroundings.text('SourceType') === 'Cluster' ? (surroundings.text('DisplayName') ?? surroundings.text('SourceName')) : undefined,
    options,
  }),
  covers: ({ cluster, options }) => [coverage('container-security', clusterPlace(cluster, options).artifact as string, 'polaris', options)],
  convert(record, { position, indices, names }, { surroundings, cluster, options }, items) {
    const id = textAt(record, 'ID') ?? names[0] ?? requireText(record, 'ID');
    const level = textAt(record, 'Severity')?.toLowerCase() ?? 'warning';
    if (level === 'ignore') return [];
    const near = (name: string): string | undefined => surroundings.textNear(`Results[*].${name}`, indices);
    return configurationItems(
      {
        source: 'polaris',
        engine: 'container-security',
        ruleId: id,
        title: wordsOfCamelCase(id),
        message: textAt(record, 'Message'),
        severity: Object.hasOwn(LEVELS, level) ? (LEVELS[level] as Severity) : (toSeverity(level) ?? 'medium'),
        result: member(record, 'Success') === true ? 'PASS' : 'FAIL',
        place: clusterObjectPlace(
          { kind: near('Kind') ?? 'Pod', namespace: near('Namespace'), name: near('Name') ?? 'unnamed' },
          cluster,
          options,
        ),
        part: indices.length > 1 ? (near('PodResult.ContainerResults[*].Name') ?? `container ${indices[1]}`) : undefined,
        urls: /^(?:security|efficiency|reliability)$/i.test(textAt(record, 'Category') ?? '')
          ? [`https://polaris.docs.fairwinds.com/checks/${textAt(record, 'Category')?.toLowerCase()}/`]
          : [],
        tags: [textAt(record, 'Category')],
        evidence: {
          category: textAt(record, 'Category'),
          details: textsAt(record, 'Details').slice(0, 50),
          kubernetes_version: surroundings.text('ClusterInfo.Version'),
        },
        position,
      },
      items,
    );
  },
});

/** What it writes as JSON, and as YAML. */
export const format = alsoYaml(json, /^PolarisOutputVersion:/m);
