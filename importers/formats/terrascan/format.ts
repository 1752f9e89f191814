import { codePlace } from '../../normalize/artifact.js';
import { declaredItems } from '../../normalize/declared-finding.js';
import { jsonFormat } from '../../normalize/json-format.js';
import { alsoYaml } from '../../normalize/yaml-format.js';
import { timeAt } from '../../normalize/report-time.js';
import { repositoryFile } from '../../normalize/repository-file.js';
import { coverage } from '../../normalize/scope.js';
import { toSeverity } from '../../normalize/severity.js';
import { asObject, numberAt, requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportOptions } from '../../types.js';

interface TerrascanContext {
  /** `terraform`, `k8s`, `docker`, `cft` ... */
  language: string | undefined;
  root: string | undefined;
  options: ImportOptions;
}

/**
 * Terrascan's JSON report. One violation is one record; skipped violations stand in a list of their own, and passed rules name no resource,
 * so that what is fixed is closed because it is not seen.
 */
const json = jsonFormat<TerrascanContext>({
  name: 'terrascan',
  label: 'Terrascan JSON or YAML',
  engines: ['check'],
  detection: 'A JSON object with `results.violations` and `results.scan_summary`, or with violations that have a `rule_name`.',
  produce: 'terrascan scan --output json > report.json',
  outsideClouds: true,
  observedAt: timeAt('results.scan_summary.scanned_at'),
  expected: 'a Terrascan report ({"results": {"violations": [...], "scan_summary": ...}})',
  roots: ['object'],
  isOfFormat: (outline) =>
    ['violations', 'passed_rules'].some((list) => outline.has(`results.${list}[].rule_name`)) ||
    (outline.has('results.scan_summary') && (outline.has('results.violations') || outline.has('results.scan_errors'))),
  markers: ['results.violations', 'results.passed_rules', 'results.scan_summary'],
  records: ['results.violations[*]'],
  around: ['results.scan_summary'],
  context(surroundings, options) {
    const summary = asObject(surroundings.value('results.scan_summary'));
    return { language: textAt(summary, 'iac_type'), root: textAt(summary, 'file/folder'), options };
  },
  covers: ({ options }) => [coverage('check', codePlace({}, options).resource_uid, 'terrascan', options)],
  convert(record, { position }, { language, root, options }, items) {
    const category = textAt(record, 'category');
    return declaredItems(
      {
        source: 'terrascan',
        ruleId: requireText(record, 'rule_id'),
        title: (textAt(record, 'description') ?? requireText(record, 'rule_name')).replace(/\.$/, ''),
        severity: toSeverity(textAt(record, 'severity')) ?? 'medium',
        result: 'FAIL',
        resource: { address: addressOf(record), language: language === 'k8s' ? 'kubernetes' : language },
        file: repositoryFile(textAt(record, 'file') ?? 'unknown', { root, artifact: options.artifact }),
        startLine: numberAt(record, 'line'),
        endLine: numberAt(record, 'line'),
        evidence: { rule_name: textAt(record, 'rule_name'), category, module: textAt(record, 'module_name'), framework: language },
        position,
      },
      options,
      items,
    );
  },
});

/** What it writes as JSON, and as YAML. */
export const format = alsoYaml(json, /^results:[ \t]*\r?\n[ \t]+(?:scan_errors|passed_rules|violations|skipped_violations|scan_summary):/m);

/** Terraform's address of a violation's resource; `kubernetes_deployment` and a name for an object of a cluster. */
function addressOf(record: JsonObject): string | undefined {
  const [type, name, module] = ['resource_type', 'resource_name', 'module_name'].map((key) => textAt(record, key));
  if (type === undefined || name === undefined) return undefined;
  return `${module === undefined || module === 'root' ? '' : `module.${module}.`}${type}.${name}`;
}
