// What bench/evaluate.ts runs in processes of their own: `load`, `judge FILE` or `compare FILE`. Prints what it measured as JSON.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { loadFrameworks } from '../catalog/assessed.js';
import { loadCatalog } from '../catalog/catalog.js';
import type { Subject, Surroundings } from '../catalog/cel/asset-value.js';
import { RuleSet, type Verdict } from '../catalog/evaluate.js';
import { companionTypes, readInventory } from '../catalog/inventory.js';
import { subjectOf } from '../catalog/subject.js';
import type { Rule } from '../catalog/types.js';
import type { ImportItem } from '../importers/types.js';
import { asJavaScript, type Predicate } from './as-javascript.js';
import { assetOf } from './javascript-runtime.js';

/** What the processes print. */
export interface Measured {
  rules: number;
  /** Milliseconds from the process's start to a rule set that can evaluate, frameworks included. */
  ready: number;
  resources: number;
  evaluations: number;
  verdicts: Record<Verdict, number>;
  /** Seconds: the whole, and of it the evaluation of ours and of the baseline. */
  whole: number;
  ours: number;
  baseline: number;
  /** Seconds of the processor, all threads and the collector of garbage included. */
  processor: number;
  /** MiB at the highest. */
  memory: number;
  different: { rule_id: string; resource_uid: string; ours: string; baseline: string }[];
}

const [mode, file = ''] = process.argv.slice(2);
const { rules } = loadCatalog();
loadFrameworks();
const set = new RuleSet(rules);
const measured: Measured = {
  rules: rules.length,
  ready: performance.now(),
  resources: 0,
  evaluations: 0,
  verdicts: { PASS: 0, FAIL: 0, NOT_APPLICABLE: 0, NOT_EVALUATED: 0 },
  whole: 0,
  ours: 0,
  baseline: 0,
  processor: 0,
  memory: 0,
  different: [],
};

async function* items(): AsyncGenerator<ImportItem> {
  for await (const line of createInterface({ input: createReadStream(file) })) yield JSON.parse(line) as ImportItem;
}

/** The rules of a type as plain JavaScript, written when the first resource of the type comes. */
class Baseline {
  private readonly byType = new Map<string, { predicate: Predicate; applies: Predicate | undefined }[]>();
  private readonly byExpression = new Map<string, Predicate>();
  private readonly rulesByType = new Map<string, Rule[]>();

  constructor(all: readonly Rule[]) {
    for (const rule of all) {
      for (const type of rule.resource_types) {
        const list = this.rulesByType.get(type);
        if (list === undefined) this.rulesByType.set(type, [rule]);
        else list.push(rule);
      }
    }
  }

  evaluate(subject: Subject, surroundings: Surroundings): Verdict[] {
    const asset = assetOf(subject, surroundings);
    return this.rulesOf(subject.resource_type).map(({ predicate, applies }) => {
      const applicable = applies?.(subject.configuration, asset) ?? true;
      if (applicable === false) return 'NOT_APPLICABLE';
      const answer = applicable === true ? predicate(subject.configuration, asset) : undefined;
      return answer === true ? 'PASS' : answer === false ? 'FAIL' : 'NOT_EVALUATED';
    });
  }

  private rulesOf(type: string) {
    let found = this.byType.get(type);
    if (found === undefined) {
      found = (this.rulesByType.get(type) ?? []).map(({ expression, applies }) => ({
        predicate: this.predicate(expression),
        applies: applies === undefined ? undefined : this.predicate(applies),
      }));
      this.byType.set(type, found);
    }
    return found;
  }

  private predicate(expression: string): Predicate {
    let found = this.byExpression.get(expression);
    if (found === undefined) this.byExpression.set(expression, (found = asJavaScript(expression)));
    return found;
  }
}

if (mode !== 'load') {
  const began = performance.now();
  const inventory = await readInventory(items(), companionTypes(rules));
  const baseline = mode === 'compare' ? new Baseline(rules) : undefined;
  for await (const item of items()) {
    if (item.kind !== 'asset') continue;
    const subject = subjectOf(item.asset);
    const start = performance.now();
    const evaluations = set.evaluate(subject, inventory);
    const between = performance.now();
    measured.ours += (between - start) / 1000;
    const others = baseline?.evaluate(subject, inventory);
    measured.baseline += (performance.now() - between) / 1000;
    measured.resources += 1;
    measured.evaluations += evaluations.length;
    for (const [i, { rule, result }] of evaluations.entries()) {
      measured.verdicts[result] += 1;
      if (others !== undefined && others[i] !== result)
        measured.different.push({ rule_id: rule.rule_id, resource_uid: subject.resource_uid, ours: result, baseline: others[i]! });
    }
  }
  measured.whole = (performance.now() - began) / 1000;
}
measured.processor = process.cpuUsage().user / 1e6;
measured.memory = process.resourceUsage().maxRSS / 1024;
process.stdout.write(`${JSON.stringify(measured)}\n`);
