import { codePlace } from '../../normalize/artifact.js';
import { jsonFormat } from '../../normalize/json-format.js';
import { coverage } from '../../normalize/scope.js';
import { SecretRanks } from '../../normalize/secret-finding.js';
import { asObject, plainText } from '../../readers/json/fields.js';
import { readJson } from '../../readers/json/records.js';
import type { ImportOptions, ReportSource } from '../../types.js';
import type { Surroundings } from '../../normalize/json-format.js';
import { readInfrastructureCheck } from './check.js';
import { readCheckovCode } from './code.js';
import { readCheckovPackage } from './package.js';
import { readCheckovSecret, secretPlaceOf } from './secret.js';
import type { CheckovContext, CheckovFramework } from './context.js';

const LISTS = ['passed_checks', 'failed_checks', 'skipped_checks', 'unknown_checks'];
/** A report of one framework is an object, of several an array of them. */
const REPORTS = ['', '$[*].'];
const RECORDS = REPORTS.flatMap((report) => LISTS.map((list) => `${report}results.${list}[*]`));

/** What checks of a framework are about. */
function subjectOf(checkType: string): CheckovFramework['subject'] {
  if (checkType === 'secrets') return 'secret';
  if (checkType.startsWith('sca_')) return 'package';
  return checkType.startsWith('sast') ? 'code' : 'infrastructure';
}

async function contextOf(surroundings: Surroundings, options: ImportOptions, source: ReportSource): Promise<CheckovContext> {
  const frameworks = new Map(
    REPORTS.flatMap((report) => surroundings.all(`${report}check_type`)).map(({ indices, value }) => {
      const name = plainText(value);
      return [indices[0] ?? -1, { name, subject: subjectOf(name) }];
    }),
  );
  const ranks = new SecretRanks();
  if ([...frameworks.values()].some(({ subject }) => subject === 'secret'))
    for await (const item of readJson(source, RECORDS)) if (item.kind === 'value') ranks.see(secretPlaceOf(asObject(item.value) ?? {}));
  return { frameworks, isList: surroundings.all('$[*].check_type').length > 0, place: codePlace({}, options), ranks, options };
}

/** Checkov's JSON report, of one framework or several. One check of one resource is one record; skipped checks give nothing. */
export const format = jsonFormat<CheckovContext>({
  name: 'checkov',
  label: 'Checkov JSON',
  engines: ['check', 'secops', 'vulnerability'],
  detection: 'A JSON object with `check_type` and `results`, an array of such objects, or a summary with `checkov_version`.',
  produce: 'checkov --directory . --output json --output-file-path report',
  outsideClouds: true,
  expected: 'a Checkov report ({"check_type": ..., "results": {"failed_checks": [...]}} or an array of them)',
  roots: ['object', 'array'],
  isOfFormat: (outline) =>
    ['', '[].'].some(
      (at) =>
        outline.has(`${at}checkov_version`) ||
        outline.has(`${at}summary.checkov_version`) ||
        (outline.has(`${at}check_type`) && LISTS.some((list) => outline.has(`${at}results.${list}`))),
    ),
  markers: ['check_type', 'results', 'checkov_version', '[].check_type', '[].results', '[].checkov_version'],
  records: RECORDS,
  around: REPORTS.map((report) => `${report}check_type`),
  context: contextOf,
  covers: ({ place, options }) =>
    ['check', 'secops', 'vulnerability'].map((engine) => coverage(engine, place.resource_uid, 'checkov', options)),
  convert(record, item, context, items) {
    const framework = context.frameworks.get(context.isList ? (item.indices[0] as number) : -1) ?? { name: '', subject: 'infrastructure' };
    switch (framework.subject) {
      case 'secret':
        return readCheckovSecret(record, item, context, items);
      case 'package':
        return readCheckovPackage(record, item, context, items);
      case 'code':
        return readCheckovCode(record, item, context, items);
      default:
        return readInfrastructureCheck(record, item, framework, context, items);
    }
  },
});
