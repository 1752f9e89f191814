import type { Severity } from '../../../schema/model.js';
import { clusterObjectPlace, clusterPlace } from '../../normalize/cluster-object.js';
import { configurationItems } from '../../normalize/configuration-finding.js';
import { jsonFormat } from '../../normalize/json-format.js';
import { wordsOfCamelCase } from '../../normalize/plain-title.js';
import { coverage } from '../../normalize/scope.js';
import type { JsonOutline } from '../../readers/json/outline.js';
import { member, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportOptions } from '../../types.js';

/** kubeaudit's levels: errors are to be mended, warnings worth a look, information what a label allows. */
const LEVELS: Readonly<Record<string, Severity>> = { error: 'high', warning: 'medium', info: 'info' };
/** Members that each result has; others are facts of its own. */
const COMMON = /^(?:AuditResultName|Resource(?:ApiVersion|Kind|Name|Namespace)|Container|level|msg|time|Namespace)$/;
const PLACES = ['', '[].'];

const isResult = (outline: JsonOutline, at: string): boolean =>
  outline.has(`${at}AuditResultName`) && (outline.has(`${at}level`) || outline.has(`${at}ResourceKind`));

/** kubeaudit's results as JSON lines. One result is one record; so is a line of its log, which gives nothing. */
export const format = jsonFormat<{ options: ImportOptions }>({
  name: 'kubeaudit',
  label: 'kubeaudit JSON lines',
  engines: ['container-security'],
  detection: 'JSON lines, or an array, of objects with an `AuditResultName` and a `level`.',
  produce: 'kubeaudit all --format json > report.jsonl',
  expected: 'results of kubeaudit ({"AuditResultName": ..., "ResourceKind": ..., "level": "error"}, one a line)',
  roots: ['object', 'array'],
  isOfFormat: (outline) => PLACES.some((at) => isResult(outline, at)),
  markers: ['AuditResultName', '[].AuditResultName'],
  records: ['$', '$[*]'],
  context: (_, options) => ({ options }),
  covers: ({ options }) => [coverage('container-security', clusterPlace(undefined, options).artifact as string, 'kubeaudit', options)],
  convert(record, { position }, { options }, items) {
    const name = textAt(record, 'AuditResultName');
    if (name === undefined) return [];
    const level = textAt(record, 'level')?.toLowerCase() ?? 'warning';
    const kind = textAt(record, 'ResourceKind');
    const object = textAt(record, 'ResourceName') ?? textAt(record, 'Namespace');
    return configurationItems(
      {
        source: 'kubeaudit',
        engine: 'container-security',
        ruleId: name,
        title: wordsOfCamelCase(name.replace('AppArmor', 'Apparmor')).replace('Apparmor', 'AppArmor'),
        message: textAt(record, 'msg'),
        severity: Object.hasOwn(LEVELS, level) ? (LEVELS[level] as Severity) : 'medium',
        result: 'FAIL',
        place:
          kind === undefined || object === undefined
            ? clusterPlace(undefined, options)
            : clusterObjectPlace({ kind, namespace: textAt(record, 'ResourceNamespace'), name: object }, undefined, options),
        part: partOf(record),
        guidance: level === 'info' ? undefined : textAt(record, 'msg'),
        evidence: { level, facts: factsOf(record) },
        position,
      },
      items,
    );
  },
});

/** A container, and what of it: several capabilities of one are several results. */
function partOf(record: JsonObject): string | undefined {
  const metadata = member(record, 'Metadata');
  const facts = [textAt(record, 'Container'), textAt(record, 'MissingAnnotation'), typeof metadata === 'string' ? metadata : undefined];
  const parts = facts.filter((fact) => fact !== undefined);
  return parts.length === 0 ? undefined : parts.join('|');
}

function factsOf(record: JsonObject): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !COMMON.test(key)));
}
