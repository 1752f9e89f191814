import { writeFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { loadCatalog } from '../catalog/catalog.js';
import { globs } from '../catalog/glob.js';
import { findProfile, profileNames } from '../catalog/profiles.js';
import { keepHeapsSmall } from '../processes/heap.js';
import { optimizeAsUsual, optimizeLater } from '../processes/optimizer.js';
import { version } from '../processes/version.js';
import { SEVERITIES } from '../schema/model.js';
import { findSources } from '../sources/find.js';
import type { Found, Skipped } from '../sources/types.js';
import { Baseline } from './check/baseline.js';
import { Changes, NoChanges } from './check/changes.js';
import { formatReport, REPORT_FORMATS } from './check/formats.js';
import { checkOptions, OPTIONS, type CheckOptions } from './check/options.js';
import { summaryOf, type CheckReport } from './check/report.js';
import { Progress } from './check/progress.js';
import { unknownRule } from './check/rule-names.js';
import { checkAll, type Checked } from './check/run.js';
import { command, UsageError } from './command-line.js';
import { didYouMean } from './did-you-mean.js';

const USAGE = `palisade check FILE|FOLDER|GLOB|-... [--format FORMAT [--output FILE]]... [--fail-on SEVERITY|none] [--profile NAME] [--all] [--rule GLOB]...
    [--skip GLOB]... [--strict] [--baseline FILE [--write-baseline]] [--var-file FILE]... [--helm-values FILE]...
    [--changed-since REF] [--allow-empty] [--quiet] [--version]
Evaluates the rule catalog over Terraform source code, plans (terraform show -json) and states, templates of CloudFormation and ARM, Kubernetes manifests and exports of clouds; no server is needed.
Below a folder, what .gitignore and .palisadeignore name is left out; - is standard input. Each option but paths may stand in .palisade.yaml.
  --format    ${REPORT_FORMATS.join(', ')} (table when left out); several, each but one with an --output
  --fail-on   exit code 1 when a rule of this severity or worse fails (critical, high, medium, low, info; medium when left out)
  --profile   the rules whose failures are told: recommended (when left out), cis-1, cis-2, all, or a framework by its id (pci_dss_4_0)
  --all       the profile all; also what passes, what could not be evaluated, and failures for which a stronger one of the same resource stands
  --rule      only rules whose id or family matches, of all profiles where none is named; --skip leaves such rules out
  --strict    exit code 3 when something that describes infrastructure was skipped
  --baseline  leave out what the file names; --write-baseline writes what fails now into it
  --var-file  values of Terraform's variables, beside terraform.tfvars and *.auto.tfvars
  --helm-values   values of Helm's charts beside their own: a file of each chart that has one of this name, else the file from here
  --changed-since   of a working tree of git, only what has changed since a branch, tag or commit; of Terraform, modules one of whose files has
  --allow-empty   a file without resources is no mistake
  --quiet     nothing but the report, and what is wrong
# palisade:ignore RULE reason until=DATE in or above a block, or in a YAML document, ignores a rule for it; so does the annotation palisade.dev/ignore.
Exit codes: 0 nothing to act on, 1 findings, 2 wrong usage, 3 a file could not be read whole, there is no such profile, or nothing was evaluated: a file holds no resource, a
--rule matches none, or no rule looks at the resources.`;

const EXIT = { ok: 0, findings: 1, incomplete: 3 } as const;
const MOST_TOLD = 20;
/** Resources from which on it is worth V8's while to optimize the code that judges them, and to keep the heap small. */
const MANY = 2_000;

/** The command `palisade check`. */
export const run = command(USAGE, OPTIONS, async (values, paths, given) => {
  if (values.version === true) {
    await write(`${version}\n`);
    return EXIT.ok;
  }
  const options = checkOptions(values, given);
  if (paths.length === 0) throw new UsageError('name a FILE, a FOLDER, a GLOB or - for standard input');
  optimizeLater();
  try {
    return await check(paths, options);
  } finally {
    // the build keeps the code of a check for processes with V8's own flags
    optimizeAsUsual();
  }
});

async function check(paths: readonly string[], options: CheckOptions): Promise<number> {
  const { only, without, all, allowEmpty, strict, quiet } = options;
  const profile = findProfile(options.profile);
  if (profile === undefined) {
    process.stderr.write(`palisade check: ${unknownProfile(options.profile)}\n`);
    return EXIT.incomplete;
  }
  const catalog = loadCatalog();
  const wanted = only.length === 0 ? undefined : globs(only);
  const unwanted = without.length === 0 ? undefined : globs(without);
  const rules = catalog.rules.filter(
    ({ rule_id, family }) =>
      (wanted === undefined || wanted.test(rule_id) || wanted.test(family)) && !(unwanted?.test(rule_id) || unwanted?.test(family)),
  );
  const baseline = options.baseline === undefined || options.writeBaseline ? undefined : Baseline.read(options.baseline);
  let code: number = EXIT.ok;
  const incomplete = (reason: string): void => {
    process.stderr.write(`palisade check: ${reason}\n`);
    code = EXIT.incomplete;
  };
  for (const glob of only) {
    const fault = unknownRule(glob, catalog);
    if (fault !== undefined) incomplete(`--rule ${fault}`);
  }
  let changes: Changes | undefined;
  try {
    changes = options.changedSince === undefined ? undefined : await Changes.since(options.changedSince, paths);
  } catch (error) {
    if (!(error instanceof NoChanges)) throw error;
    incomplete(`--changed-since ${options.changedSince}: ${error.message}`);
    return code;
  }
  const found = await findSources(paths, {
    variableFiles: options.variableFiles,
    chartValues: options.chartValues,
    readInput: () => buffer(process.stdin),
  });
  const progress = new Progress(process.stderr, !quiet);
  const onResource = ({ name }: { name: string }, before: number): void => {
    if (before === MANY) {
      optimizeAsUsual();
      keepHeapsSmall();
    }
    progress.show(`${before} resources, ${name}`);
  };
  const checked = await checkAll(found, catalog, { rules, profile, all, baseline, changes, onResource });
  progress.end();
  const { report } = checked;
  report.skipped = distinct(report.skipped);
  tellUnread(checked, found, allowEmpty, incomplete);
  const judged = report.files.reduce((sum, file) => sum + file.resources, 0);
  const resources = judged + (report.unchanged?.resources ?? 0);
  if (rules.length === 0 && code === EXIT.ok) incomplete('--rule and --skip leave no rule to evaluate');
  else if (resources === 0 && code === EXIT.ok && !allowEmpty)
    incomplete(`nothing was evaluated: ${paths.join(', ')} ${heldInstead(report, found)}`);
  else if (judged > 0 && checked.evaluated === 0 && code === EXIT.ok)
    incomplete(`nothing was evaluated: none of the ${rules.length} rules looks at any of the ${judged} resources`);
  else if (resources > 0 && !allowEmpty)
    for (const path of found.empty) incomplete(`${path} holds nothing that is evaluated (--allow-empty takes that as nothing to act on)`);
  if (!quiet || strict) tellSkipped(report, found);
  if (strict && report.skipped.length > 0) incomplete(`${report.skipped.length} skipped, and --strict was asked for`);
  if (options.writeBaseline) {
    Baseline.write(options.baseline!, checked.failures);
    process.stderr.write(`palisade check: ${options.baseline} now names ${checked.failures.length} findings\n`);
    return code;
  }
  await writeReports(report, options);
  const limit = options.failOn === undefined ? -1 : SEVERITIES.indexOf(options.failOn);
  const acted = checked.worst <= limit;
  return code === EXIT.ok && acted ? EXIT.findings : code;
}

function unknownProfile(name: string): string {
  const names = profileNames();
  return `there is no profile ${name}; those that exist are ${names.join(', ')}${didYouMean(name, names)}`;
}

/** Tells what could not be read, whole or at all, and what was named and holds nothing. */
function tellUnread(
  { report, unreadable, broken, faults }: Checked,
  found: Found,
  allowEmpty: boolean,
  incomplete: (reason: string) => void,
): void {
  for (const { file, reason } of unreadable) incomplete(reason.includes(file) ? reason : `${file}: ${reason}`);
  for (const line of [...broken, ...faults]) process.stderr.write(`${line}\n`);
  const named = new Set([...found.named].map(({ name }) => name));
  for (const { file, broken: parts, resources } of report.files) {
    if (parts.length > 0) incomplete(`${file} could not be read whole: ${parts.length} of its parts`);
    else if (resources === 0 && named.has(file) && !allowEmpty && !report.unchanged?.resources)
      incomplete(`${file} holds no resource (--allow-empty takes that as nothing to act on)`);
  }
}

/** What there was where nothing could be evaluated. */
function heldInstead({ skipped }: CheckReport, { others }: Found): string {
  const held = [
    ...(skipped.length === 0 ? [] : [`${skipped.length} skipped`]),
    ...(others === 0 ? [] : [`${others} of no kind that is evaluated`]),
  ];
  return `holds no resource${held.length === 0 ? '' : `, of its files ${held.join(' and ')}`} (--allow-empty takes that as nothing to act on)`;
}

function tellSkipped({ skipped, unchanged }: CheckReport, { others, ignored, isSearch }: Found): void {
  for (const { file, line, reason } of skipped.slice(0, MOST_TOLD))
    process.stderr.write(`skipped ${file}${line === undefined ? '' : `:${line}`}: ${reason}\n`);
  if (skipped.length > MOST_TOLD) process.stderr.write(`skipped ${skipped.length - MOST_TOLD} more\n`);
  if (unchanged !== undefined && unchanged.resources + unchanged.skipped > 0)
    process.stderr.write(
      `left out as unchanged since ${unchanged.since}: ${unchanged.resources} resources of ${unchanged.files} files, and ${unchanged.skipped} that would be skipped\n`,
    );
  if (isSearch && others + ignored > 0)
    process.stderr.write(`passed over ${others} files of other kinds, and ${ignored} files and folders that ignore files name\n`);
}

function distinct(skipped: readonly Skipped[]): Skipped[] {
  return [...new Map(skipped.map((one) => [`${one.file}\n${one.line ?? ''}\n${one.reason}`, one])).values()];
}

async function writeReports(report: CheckReport, { outputs, quiet }: CheckOptions): Promise<void> {
  for (const { format, file } of outputs) {
    if (file === undefined) await write(formatReport(format, report, process.stdout.isTTY && !process.env['NO_COLOR']));
    else writeFileSync(file, formatReport(format, report));
  }
  if (!quiet && outputs.every(({ file }) => file !== undefined)) process.stderr.write(`${summaryOf(report)}\n`);
}

/** Writes all of it before the process ends, also into a pipe. */
function write(text: string): Promise<void> {
  return new Promise((done) => process.stdout.write(text, () => done()));
}
