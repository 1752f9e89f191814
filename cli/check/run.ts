import type { CatalogData } from '../../catalog/catalog.js';
import { checkInventory, type CheckedAsset } from '../../catalog/check-file.js';
import { RuleSet } from '../../catalog/evaluate.js';
import { companionTypes } from '../../catalog/inventory.js';
import type { Rule } from '../../catalog/types.js';
import { NotOfFormat, ReportTooLarge } from '../../importers/index.js';
import type { Found } from '../../sources/find.js';
import type { InventorySource, Unreadable } from '../../sources/types.js';
import type { Baseline } from './baseline.js';
import { covers, holdsOn } from './ignore.js';
import { IgnoredInSource } from './ignored.js';
import { resultOf, severityRank, Standing, type CheckReport, type CheckResult, type Suppressed } from './report.js';

interface Choice {
  rules: readonly Rule[];
  /** Also what passes, what could not be evaluated, and failures for which others stand. */
  all: boolean;
  baseline: Baseline | undefined;
}

/** What came of a check, and what was wrong on the way. */
export interface Checked {
  report: CheckReport;
  /** Of the severities of what fails and is not left alone, the rank of the worst, what is implied included. */
  worst: number;
  unreadable: Unreadable[];
  /** What of a file could not be read, with the place, the first of each. */
  broken: string[];
  /** Comments that are to ignore something and do not say what or why. */
  faults: readonly string[];
}

const MOST_BROKEN = 10;

/** Evaluates rules over all that was found. */
export async function checkAll(found: Found, catalog: CatalogData, { rules, all, baseline }: Choice): Promise<Checked> {
  const families = new Map(catalog.families.map((family) => [family.family, family]));
  const set = new RuleSet(rules);
  const companions = companionTypes(rules);
  const ignored = new IgnoredInSource();
  const today = new Date().toISOString().slice(0, 10);
  const report: CheckReport = {
    files: [],
    results: [],
    counts: { PASS: 0, FAIL: 0, NOT_APPLICABLE: 0, NOT_EVALUATED: 0 },
    suppressed: [],
    skipped: [...found.skipped],
    isSearch: found.isSearch,
  };
  if (!all) report.implied = 0;
  let worst = Infinity;
  const unreadable = [...found.unreadable];
  const broken: string[] = [];

  function take(source: InventorySource, checked: CheckedAsset): void {
    const place = source.placeOf(checked.asset);
    const ignores = checked.evaluations.some(({ result }) => result === 'FAIL') ? ignored.of(source, checked.asset, place) : [];
    const made = checked.evaluations
      .filter(({ result }) => result === 'FAIL' || (all && result !== 'NOT_APPLICABLE'))
      .map((evaluation) => resultOf(source, place, checked, evaluation, families.get(evaluation.rule.family)!));
    const aside = new Map<string, Suppressed>();
    for (const result of made) {
      const reason = result.result === 'FAIL' ? whySuppressed(result) : undefined;
      if (reason !== undefined) aside.set(result.rule_id, { ...reason, result });
    }
    report.suppressed.push(...aside.values());
    for (const { rule, result } of checked.evaluations) if (!aside.has(rule.rule_id)) report.counts[result] += 1;
    const standing = new Standing(checked.evaluations, new Set(aside.keys()));
    for (const result of made) {
      if (aside.has(result.rule_id)) continue;
      if (result.result === 'FAIL') worst = Math.min(worst, severityRank(result));
      if (all || !standing.by.has(result.rule_id)) report.results.push({ ...result, ...standing.of(result, all) });
    }
    if (report.implied !== undefined) report.implied += standing.by.size;
    function whySuppressed(result: CheckResult): { kind: 'source' | 'baseline'; reason: string } | undefined {
      const ignore = ignores.find((one) => covers(one, result) && holdsOn(one, today));
      if (ignore !== undefined) return { kind: 'source', reason: ignore.reason };
      return baseline?.has(result) === true ? { kind: 'baseline', reason: 'known before' } : undefined;
    }
  }

  for (const source of found.sources) {
    try {
      const read = await checkInventory(source, set, companions, (checked) => take(source, checked), source.wants);
      report.files.push({ file: source.name, ...read });
      for (const { position, reason } of read.broken.slice(0, MOST_BROKEN))
        broken.push(`${source.namesFiles ? '' : `${source.name} `}${position}: ${reason}`);
      report.skipped.push(...(source.skipped?.() ?? []));
    } catch (error) {
      if (!(error instanceof NotOfFormat) && !(error instanceof ReportTooLarge)) throw error;
      unreadable.push({ file: source.name, reason: error.message });
    }
  }
  return { report, worst, unreadable, broken, faults: ignored.faults };
}
