import { declaredItems } from '../../normalize/declared-finding.js';
import type { ReportItems } from '../../normalize/observation.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import { listAt, objectAt, objectsAt, requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ControlReference, ImportItem } from '../../types.js';
import { fileOf, linesOf, rangeOf, resultOf, severityOf, type CheckovContext, type CheckovFramework } from './context.js';

/** Turns one check of a declared resource into its rule (the first time) and its observation. */
export function readInfrastructureCheck(
  record: JsonObject,
  { position }: JsonValueItem,
  { name: framework }: CheckovFramework,
  { options }: CheckovContext,
  items: ReportItems,
): ImportItem[] {
  const ruleId = requireText(record, 'check_id');
  const result = resultOf(record);
  if (result === undefined) return [];
  const [startLine, endLine] = rangeOf(record);
  const address = textAt(record, 'resource_address') ?? textAt(record, 'resource');
  return declaredItems(
    {
      source: 'checkov',
      ruleId,
      title: textAt(record, 'check_name') ?? ruleId,
      description: textAt(record, 'description') ?? textAt(record, 'short_description'),
      severity: severityOf(record),
      result,
      resource: { address, language: framework },
      // what is no resource of its own is told apart by its name in the file: a stage of a Dockerfile, a job of a workflow
      fingerprint: address,
      file: fileOf(record),
      startLine,
      endLine,
      lines: linesOf(record),
      guidance: textsAt(record, 'details').join('\n') || undefined,
      urls: [textAt(record, 'guideline')],
      controls: benchmarksOf(record),
      evidence: {
        framework,
        bc_check_id: textAt(record, 'bc_check_id'),
        category: textAt(record, 'bc_category'),
        check_class: textAt(record, 'check_class'),
        evaluated_keys: listAt(objectAt(record, 'check_result'), 'evaluated_keys').filter((key) => typeof key === 'string'),
        caller_file: textAt(record, 'caller_file_path'),
        status: textAt(objectAt(record, 'check_result'), 'result'),
      },
      position,
    },
    options,
    items,
  );
}

/** `{"CIS GCP V1.1": [{"name": "5.2", "description": ...}]}`. */
function benchmarksOf(record: JsonObject): ControlReference[] {
  const benchmarks = objectAt(record, 'benchmarks') ?? {};
  return Object.keys(benchmarks).flatMap((framework) =>
    objectsAt(benchmarks, framework).flatMap((control) => {
      const [id, name] = [textAt(control, 'name'), textAt(control, 'description')];
      return id === undefined || framework === '' ? [] : [{ framework, control_id: id, ...(name !== undefined && { control_name: name }) }];
    }),
  );
}
