import { configurationItems } from '../../normalize/configuration-finding.js';
import type { ReportItems } from '../../normalize/observation.js';
import { toSeverity } from '../../normalize/severity.js';
import { member, numberAt, objectsAt, requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem } from '../../types.js';
import type { OperatorReport } from './context.js';

const MAX_TARGETS = 50;

/** Turns one control of a benchmark into its rule (the first time) and its observation of the cluster; one that only a person can judge gives nothing. */
export function readControl(
  record: JsonObject,
  position: string,
  { compliance, object }: OperatorReport,
  items: ReportItems,
): ImportItem[] {
  const id = requireText(record, 'id');
  const checks = objectsAt(record, 'checks');
  const failed = checks.filter((check) => member(check, 'success') === false);
  const count = numberAt(record, 'totalFail') ?? (member(record, 'checks') === undefined ? undefined : failed.length);
  if (count === undefined) return [];
  const title = textAt(compliance, 'title');
  const benchmark = textAt(compliance, 'id') ?? title ?? 'benchmark';
  return configurationItems(
    {
      // each benchmark has a report of its own
      source: `trivy_operator_${benchmark}`,
      engine: 'container-security',
      ruleId: `${benchmark}-${id}`,
      title: `${id} ${textAt(record, 'name') ?? ''}`.trim(),
      description: textAt(record, 'description'),
      severity: toSeverity(textAt(record, 'severity')) ?? 'medium',
      result: count > 0 ? 'FAIL' : 'PASS',
      place: object,
      guidance: failed.map((check) => textAt(check, 'remediation')).find((text) => text !== undefined),
      controls: title === undefined ? [] : [{ framework: title, control_id: id }],
      evidence: {
        benchmark: title,
        failed_checks: count,
        check_ids: [...new Set(failed.flatMap((check) => textAt(check, 'checkID') ?? []))],
        targets: [...new Set(failed.flatMap((check) => textAt(check, 'target') ?? []))].slice(0, MAX_TARGETS),
      },
      position,
    },
    items,
  );
}
