import type { CatalogData } from '../../catalog/catalog.js';
import { checkInventory, type CheckedAsset } from '../../catalog/check-file.js';
import { RuleSet, type Evaluation } from '../../catalog/evaluate.js';
import { companionTypes } from '../../catalog/inventory.js';
import { ALL_RULES, type Profile } from '../../catalog/profiles.js';
import type { Rule } from '../../catalog/types.js';
import { NotOfFormat, ReportTooLarge } from '../../importers/index.js';
import type { Found, InventorySource, Unreadable } from '../../sources/types.js';
import type { Baseline, Known } from './baseline.js';
import { ChangeFilter } from './change-filter.js';
import type { Changes } from './changes.js';
import { covers, holdsOn } from './ignore.js';
import { IgnoredInSource } from './ignored.js';
import { unknownRule } from './rule-names.js';
import { resultOf, severityRank, Standing, type CheckReport, type CheckResult, type Suppressed } from './report.js';

interface Choice {
  rules: readonly Rule[];
  /** The rules whose results are told. */
  profile: Profile;
  /** Also what passes and what could not be evaluated. */
  all: boolean;
  baseline: Baseline | undefined;
  /** Only what is made of these files is reported. */
  changes?: Changes | undefined;
  /** Told of each resource, with how many there were before it. */
  onResource?(source: InventorySource, before: number): void;
}

/** What came of a check, and what was wrong on the way. */
export interface Checked {
  report: CheckReport;
  /** All that fails and no source ignores, also what another one stands for. */
  failures: Known[];
  /** The rank of the worst severity that fails and is not left alone, 0 for critical. */
  worst: number;
  /** Results of rules, of whatever profile. */
  evaluated: number;
  unreadable: Unreadable[];
  /** What of a file could not be read, with the place, the first of each. */
  broken: string[];
  /** Comments that are to ignore something and do not say what or why. */
  faults: readonly string[];
}

const MOST_BROKEN = 10;

/** Evaluates rules over all that was found. */
export async function checkAll(
  found: Found,
  catalog: CatalogData,
  { rules, profile, all, baseline, changes, onResource }: Choice,
): Promise<Checked> {
  const families = new Map(catalog.families.map((family) => [family.family, family]));
  const set = new RuleSet(rules);
  const companions = companionTypes(rules);
  const ignored = new IgnoredInSource((name) => unknownRule(name, catalog));
  const today = new Date().toISOString().slice(0, 10);
  const report: CheckReport = {
    files: [],
    results: [],
    counts: { PASS: 0, FAIL: 0, NOT_APPLICABLE: 0, NOT_EVALUATED: 0 },
    ...(!all && { implied: 0 }),
    ...(profile.name !== ALL_RULES && { outside: { profile: profile.name, failures: 0, rules: 0 } }),
    suppressed: [],
    skipped: [],
    isSearch: found.isSearch,
  };
  const unreadable = [...found.unreadable];
  const filter = new ChangeFilter(changes);
  report.skipped.push(...filter.skipped(found.skipped));
  const broken: string[] = [];
  const failures: Known[] = [];
  let worst = Number.POSITIVE_INFINITY;
  let evaluated = 0;

  let resources = 0;
  const rulesOutside = new Set<Rule>();

  function noteOutside(evaluations: readonly Evaluation[], outside: NonNullable<CheckReport['outside']>): void {
    for (const { rule, result } of evaluations) {
      if (result !== 'FAIL' || profile.has(rule)) continue;
      outside.failures += 1;
      outside.rules = rulesOutside.add(rule).size;
    }
  }

  function take(source: InventorySource, checked: CheckedAsset): void {
    onResource?.(source, resources++);
    const place = source.placeOf(checked.asset);
    const evaluations = checked.evaluations.filter(({ rule }) => profile.has(rule));
    evaluated += checked.evaluations.length;
    if (report.outside) noteOutside(checked.evaluations, report.outside);
    const failing = evaluations.filter(({ result }) => result === 'FAIL');
    const ignores = failing.length === 0 ? [] : ignored.of(source, checked.asset, place).filter((one) => holdsOn(one, today));
    const suppressed = new Map<Evaluation, Pick<Suppressed, 'kind' | 'reason'>>();
    for (const evaluation of failing) {
      const { rule_id, family } = evaluation.rule;
      const known = { rule_id, file: place.file, address: checked.asset.source.address };
      const ignore = ignores.find((one) => covers(one, { rule_id, family }));
      if (ignore === undefined) failures.push(known);
      if (ignore !== undefined) suppressed.set(evaluation, { kind: 'source', reason: ignore.reason });
      else if (baseline?.has(known) === true) suppressed.set(evaluation, { kind: 'baseline', reason: 'known before' });
    }
    // what is left alone stands for nothing: what follows from it is reported by itself
    const standing = new Standing(evaluations.filter((evaluation) => !suppressed.has(evaluation)));
    const made = (evaluation: Evaluation): CheckResult =>
      resultOf(source, place, checked, evaluation, families.get(evaluation.rule.family)!);
    for (const evaluation of evaluations) {
      const { rule, result } = evaluation;
      const reason = suppressed.get(evaluation);
      if (reason !== undefined) {
        report.suppressed.push({ ...reason, result: made(evaluation) });
        continue;
      }
      report.counts[result] += 1;
      if (result === 'FAIL') worst = Math.min(worst, severityRank(rule));
      if (all ? result === 'NOT_APPLICABLE' : result !== 'FAIL' || standing.by.has(rule.rule_id)) continue;
      report.results.push({ ...made(evaluation), ...standing.of(rule, all) });
    }
    if (!all) report.implied! += standing.by.size;
  }

  for (const source of found.sources) {
    try {
      const read = await checkInventory(
        source,
        set,
        companions,
        (checked) => take(source, checked),
        (asset) => filter.wants(source, asset),
      );
      report.files.push({ file: source.name, ...read });
      for (const { position, reason } of read.broken.slice(0, MOST_BROKEN))
        broken.push(`${source.namesFiles ? '' : `${source.name} `}${position}: ${reason}`);
      report.skipped.push(...filter.skipped(source.skipped?.() ?? [], source));
    } catch (error) {
      if (!(error instanceof NotOfFormat) && !(error instanceof ReportTooLarge)) throw error;
      unreadable.push({ file: source.name, reason: error.message });
    }
  }
  if (filter.unchanged !== undefined) report.unchanged = filter.unchanged;
  return { report, failures, worst, evaluated, unreadable, broken, faults: ignored.faults };
}
