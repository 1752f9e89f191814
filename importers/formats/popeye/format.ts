import type { Severity } from '../../../schema/model.js';
import { clusterObjectPlace, clusterPlace } from '../../normalize/cluster-object.js';
import { configurationItems } from '../../normalize/configuration-finding.js';
import { jsonFormat, type Surroundings } from '../../normalize/json-format.js';
import { alsoYaml } from '../../normalize/yaml-format.js';
import { kindOfResource } from '../../normalize/kubernetes-kinds.js';
import { timeAt } from '../../normalize/report-time.js';
import { coverage } from '../../normalize/scope.js';
import { numberAt, requireText, textAt } from '../../readers/json/fields.js';
import type { ImportOptions } from '../../types.js';

/** Linters were called sanitizers before version 0.20. */
const SECTIONS = ['popeye.sections[*].', 'popeye.sanitizers[*].'];
/** Popeye's levels: 0 is fine, 1 information, 2 a warning, 3 an error. */
const LEVELS: readonly Severity[] = ['info', 'info', 'medium', 'high'];

interface PopeyeContext {
  surroundings: Surroundings;
  cluster: string | undefined;
  options: ImportOptions;
}

/** Popeye's JSON report. One issue of one object is one record; objects without issues have none. */
const json = jsonFormat<PopeyeContext>({
  name: 'popeye',
  label: 'Popeye JSON or YAML',
  engines: ['container-security'],
  detection: 'A JSON object with `popeye` that has `sections`, or `sanitizers`, or a `score` and a `grade`.',
  produce: 'popeye --all-namespaces --out json > report.json',
  observedAt: timeAt('popeye.report_time'),
  expected: 'a report of Popeye ({"popeye": {"score": ..., "sections": [{"gvr": ..., "issues": {...}}]}})',
  roots: ['object'],
  isOfFormat: (outline) =>
    ['sections', 'sanitizers', 'grade'].some((name) => outline.has(`popeye.${name}`)) ||
    (outline.has('popeye.score') && outline.has('popeye.report_time')),
  markers: ['popeye'],
  records: SECTIONS.map((at) => `${at}issues.*[*]`),
  around: ['ClusterName', ...SECTIONS.map((at) => `${at}gvr`)],
  context: (surroundings, options) => ({ surroundings, cluster: surroundings.text('ClusterName'), options }),
  covers: ({ cluster, options }) => [coverage('container-security', clusterPlace(cluster, options).artifact as string, 'popeye', options)],
  convert(record, { path, position, indices, names }, { surroundings, cluster, options }, items) {
    const text = requireText(record, 'message');
    const level = numberAt(record, 'level') ?? 2;
    const [, code, message = text] = /^\[(POP-\d+)\]\s*(.+)$/s.exec(text) ?? [];
    const group = textAt(record, 'group');
    const kind = kindOfResource(surroundings.textNear(path.replace('issues.*[*]', 'gvr'), indices) ?? textAt(record, 'gvr') ?? '');
    const [first = '', ...rest] = (names[0] ?? '').split('/');
    const name = rest.length === 0 ? first : rest.join('/');
    return configurationItems(
      {
        source: 'popeye',
        engine: 'container-security',
        ruleId: code ?? `popeye-${message.slice(0, 80)}`,
        title: message,
        message,
        severity: LEVELS[level] ?? 'medium',
        result: level === 0 ? 'PASS' : 'FAIL',
        place:
          kind === undefined || name === ''
            ? clusterPlace(cluster, options)
            : clusterObjectPlace({ kind, namespace: rest.length === 0 ? undefined : first, name }, cluster, options),
        part: group === '__root__' ? undefined : group,
        urls: code === undefined ? [] : ['https://github.com/derailed/popeye/blob/master/docs/codes.md'],
        evidence: { level, resource: textAt(record, 'gvr') },
        position,
      },
      items,
    );
  },
});

/** What it writes as JSON, and as YAML. */
export const format = alsoYaml(json, /^popeye:[ \t]*\r?$/m);
