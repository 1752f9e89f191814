import { loadCatalog, type CatalogData } from '../catalog/catalog.js';
import { NotAnInventory, checkFile } from '../catalog/check-file.js';
import { RuleSet } from '../catalog/evaluate.js';
import { globs } from '../catalog/glob.js';
import { companionTypes } from '../catalog/inventory.js';
import { NotOfFormat, ReportTooLarge } from '../importers/index.js';
import { SEVERITIES, type Severity } from '../schema/model.js';
import { formatReport, REPORT_FORMATS, type ReportFormat } from './check/formats.js';
import { resultOf, Standing, type CheckReport } from './check/report.js';
import { command, UsageError } from './command-line.js';
import { didYouMean } from './did-you-mean.js';

const USAGE = `palisade check FILE... [--format table|json|sarif|ocsf] [--fail-on SEVERITY|none] [--all] [--rule GLOB]... [--skip GLOB]... [--allow-empty]
Evaluates the rule catalog over Terraform plans (terraform show -json), states and Kubernetes manifests; no server is needed.
  --fail-on   exit code 1 when a rule of this severity or worse fails (critical, high, medium, low, info; medium when left out)
  --all       also what passes, what could not be evaluated, and failures for which a stronger one of the same resource stands
  --rule      only rules whose id or family matches; --skip leaves such rules out
  --allow-empty   a file without resources is no mistake
Exit codes: 0 nothing to act on, 1 findings, 2 wrong usage, 3 a file could not be read whole, or nothing was evaluated: a file holds no resource, a
--rule matches none, or no rule looks at the resources.`;

const EXIT = { ok: 0, findings: 1, incomplete: 3 } as const;
const OPTIONS = {
  format: { type: 'string', default: 'table' },
  'fail-on': { type: 'string', default: 'medium' },
  all: { type: 'boolean', default: false },
  'allow-empty': { type: 'boolean', default: false },
  rule: { type: 'string', multiple: true, default: [] as string[] },
  skip: { type: 'string', multiple: true, default: [] as string[] },
} as const;

/** The command `palisade check`. */
export const run = command(USAGE, OPTIONS, async (values, files) => {
  const format = REPORT_FORMATS.find((known) => known === values.format);
  if (format === undefined) throw new UsageError(`--format is one of ${REPORT_FORMATS.join(', ')}`);
  const failOn = values['fail-on'] === 'none' ? undefined : SEVERITIES.find((severity) => severity === values['fail-on']);
  if (failOn === undefined && values['fail-on'] !== 'none') throw new UsageError(`--fail-on is one of ${SEVERITIES.join(', ')}, none`);
  if (files.length === 0) throw new UsageError('name a FILE');
  return check(files, { format, failOn, all: values.all, allowEmpty: values['allow-empty'], only: values.rule, without: values.skip });
});

interface Options {
  format: ReportFormat;
  failOn: Severity | undefined;
  all: boolean;
  allowEmpty: boolean;
  only: string[];
  without: string[];
}

async function check(files: readonly string[], { format, failOn, all, allowEmpty, only, without }: Options): Promise<number> {
  const catalog = loadCatalog();
  const wanted = only.length === 0 ? undefined : globs(only);
  const unwanted = without.length === 0 ? undefined : globs(without);
  const rules = catalog.rules.filter(
    ({ rule_id, family }) =>
      (wanted === undefined || wanted.test(rule_id) || wanted.test(family)) && !(unwanted?.test(rule_id) || unwanted?.test(family)),
  );
  const families = new Map(catalog.families.map((family) => [family.family, family]));
  const set = new RuleSet(rules);
  const companions = companionTypes(rules);
  const report: CheckReport = { files: [], results: [], counts: { PASS: 0, FAIL: 0, NOT_APPLICABLE: 0, NOT_EVALUATED: 0 } };
  if (!all) report.implied = 0;
  const limit = failOn === undefined ? -1 : SEVERITIES.indexOf(failOn);
  let acted = false;
  let code: number = EXIT.ok;
  const incomplete = (reason: string): void => {
    process.stderr.write(`palisade check: ${reason}\n`);
    code = EXIT.incomplete;
  };
  for (const glob of unmatched(only, catalog)) incomplete(`--rule ${glob} matches no rule${nearestRule(glob, catalog)}`);
  for (const file of files) {
    try {
      const read = await checkFile(file, set, companions, (checked) => {
        const standing = new Standing(checked.evaluations);
        for (const evaluation of checked.evaluations) {
          const { rule, result } = evaluation;
          report.counts[result] += 1;
          acted ||= result === 'FAIL' && SEVERITIES.indexOf(rule.severity) <= limit;
          if (all ? result === 'NOT_APPLICABLE' : result !== 'FAIL' || standing.by.has(rule.rule_id)) continue;
          report.results.push({ ...resultOf(file, checked, evaluation, families.get(rule.family)!), ...standing.of(rule, all) });
        }
        if (!all) report.implied! += standing.by.size;
      });
      report.files.push({ file, ...read });
      for (const { position, reason } of read.broken.slice(0, 10)) process.stderr.write(`${file} ${position}: ${reason}\n`);
      if (read.broken.length > 0) incomplete(`${file} could not be read whole: ${read.broken.length} of its parts`);
      else if (read.resources === 0 && !allowEmpty) incomplete(`${file} holds no resource (--allow-empty takes that as nothing to act on)`);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      const { message } = error as Error;
      incomplete(message.includes(file) ? message : `${file}: ${message}`);
    }
  }
  const resources = report.files.reduce((sum, file) => sum + file.resources, 0);
  const evaluations = Object.values(report.counts).reduce((sum, count) => sum + count, 0);
  if (rules.length === 0 && code === EXIT.ok) incomplete('--rule and --skip leave no rule to evaluate');
  else if (resources > 0 && evaluations === 0 && code === EXIT.ok)
    incomplete(`nothing was evaluated: none of the ${rules.length} rules looks at any of the ${resources} resources`);
  await write(formatReport(format, report));
  return code === EXIT.ok && acted ? EXIT.findings : code;
}

const matching = (glob: string, { rules }: CatalogData) => {
  const pattern = globs([glob]);
  return rules.some(({ rule_id, family }) => pattern.test(rule_id) || pattern.test(family));
};
const unmatched = (wanted: readonly string[], catalog: CatalogData): string[] => wanted.filter((glob) => !matching(glob, catalog));
const nearestRule = (word: string, { rules, families }: CatalogData): string =>
  didYouMean(word, [...families.map(({ family }) => family), ...rules.map(({ rule_id }) => rule_id)]);

const isUnreadable = (error: unknown): boolean =>
  error instanceof NotAnInventory ||
  error instanceof NotOfFormat ||
  error instanceof ReportTooLarge ||
  ['ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Writes all of it before the process ends, also into a pipe. */
function write(text: string): Promise<void> {
  return new Promise((done) => process.stdout.write(text, () => done()));
}
