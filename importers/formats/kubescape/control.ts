import type { Severity } from '../../../schema/model.js';
import { configurationItems } from '../../normalize/configuration-finding.js';
import type { ReportItems } from '../../normalize/observation.js';
import { severityOfScore, toSeverity } from '../../normalize/severity.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import { listAt, numberAt, objectAt, objectsAt, requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem } from '../../types.js';
import type { KubescapeContext } from './context.js';

const MAX_PATHS = 50;

/** Turns one control of one resource into its rule (the first time) and its observation; what was skipped or does not apply gives nothing. */
export function readKubescapeControl(record: JsonObject, item: JsonValueItem, context: KubescapeContext, items: ReportItems): ImportItem[] {
  const id = requireText(record, 'controlID');
  const resourceId = context.resourceAt(item.indices);
  const result = resultOf(record);
  if (result === undefined) return [];
  const summary = {
    name: context.summaryOf(id, 'name'),
    severity: context.summaryOf(id, 'severity'),
    scoreFactor: context.summaryOf(id, 'scoreFactor'),
    description: context.summaryOf(id, 'description'),
    remediation: context.summaryOf(id, 'remediation'),
  };
  const severity = severityOf(record, summary);
  // it would be another when the whole report comes
  if (severity === undefined && context.isCut) return [];
  const { place, bindings } = context.placeOf(resourceId);
  const name = textAt(record, 'name') ?? textAt(summary, 'name') ?? id;
  const rules = objectsAt(record, 'rules').filter((rule) => result === 'PASS' || statusOf(rule) !== 'passed');
  const paths = rules.flatMap((rule) => objectsAt(rule, 'paths'));
  const fixes = paths.flatMap((path) => fixOf(path) ?? []);
  return configurationItems(
    {
      source: 'kubescape',
      engine: 'container-security',
      ruleId: id,
      title: name,
      description: textAt(summary, 'description'),
      severity: severity ?? 'medium',
      result,
      place,
      part: bindings,
      seen: resourceId,
      guidance:
        textAt(summary, 'remediation') ?? (fixes.length === 0 ? undefined : `${[...new Set(fixes)].slice(0, MAX_PATHS).join('\n')}`),
      urls: /^C-\d{4}$/.test(id) ? [`https://kubescape.io/docs/controls/${id.toLowerCase()}/`] : [],
      controls: context.standardsOf(id),
      evidence: {
        resource_id: resourceId,
        file: resourceId === undefined ? undefined : context.fileOf(resourceId),
        rules: rules.flatMap((rule) => textAt(rule, 'name') ?? []),
        failed_paths: [...new Set(paths.flatMap(pathOf))].slice(0, MAX_PATHS),
      },
      position: item.position,
    },
    items,
  );
}

/** Since version 2.9 the control has a status; before, its rules have. What an exception accepts is neither failed nor passed. */
function resultOf(record: JsonObject): 'FAIL' | 'PASS' | undefined {
  const rules = objectsAt(record, 'rules');
  const failed = rules.filter((rule) => statusOf(rule) === 'failed');
  if (failed.length > 0 && failed.every((rule) => listAt(rule, 'exception').length > 0)) return undefined;
  const status = statusOf(objectAt(record, 'status')) ?? statusOf(record);
  if (status === 'failed' || (status === undefined && failed.length > 0)) return 'FAIL';
  if (status === 'passed') return /exception/i.test(textAt(objectAt(record, 'status'), 'subStatus') ?? '') ? undefined : 'PASS';
  return status === undefined && rules.length > 0 && rules.every((rule) => statusOf(rule) === 'passed') ? 'PASS' : undefined;
}

const statusOf = (record: JsonObject | undefined): string | undefined => textAt(record, 'status')?.toLowerCase();

/** Kubescape's own word, else the band of the control's score factor, which are those of CVSS. */
function severityOf(record: JsonObject, summary: JsonObject): Severity | undefined {
  const factor = numberAt(summary, 'scoreFactor') ?? numberAt(record, 'baseScore');
  return (
    toSeverity(textAt(record, 'severity')) ??
    toSeverity(textAt(summary, 'severity')) ??
    (factor === undefined ? undefined : severityOfScore(factor))
  );
}

function pathOf(path: JsonObject): string[] {
  const fix = objectAt(path, 'fixPath');
  return [textAt(path, 'failedPath'), textAt(path, 'reviewPath'), textAt(path, 'deletePath'), textAt(fix, 'path')].filter(
    (text) => text !== undefined,
  );
}

function fixOf(path: JsonObject): string | undefined {
  const fix = objectAt(path, 'fixPath');
  const [at, value] = [textAt(fix, 'path'), textAt(fix, 'value')];
  if (at !== undefined) return `Set ${at}${value === undefined || value === 'YOUR_VALUE' ? '' : ` to ${value}`}.`;
  const remove = textAt(path, 'deletePath');
  return textAt(path, 'fixCommand') ?? (remove === undefined ? undefined : `Remove ${remove}.`);
}
