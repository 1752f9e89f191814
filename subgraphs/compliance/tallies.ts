import { rulesOfSelector } from '../../catalog/assessed.js';
import type { Provider } from '../../schema/model.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { readRuleTallies, type RuleTallies } from '../../kit/read/rule-tallies.js';
import type { RuleTally, TallyOf } from './score.js';

/** Part of the estate that is scored; all of it when nothing is named. */
export interface ScoreScope {
  provider?: Provider[] | null;
  account_id?: string[] | null;
}

const VERDICTS = ['PASS', 'FAIL', 'NOT_APPLICABLE', 'NOT_EVALUATED'] as const;
const empty = (): RuleTally => ({ PASS: 0, FAIL: 0, NOT_APPLICABLE: 0, NOT_EVALUATED: 0 });

/** Stored rule results of a part of the estate, which scores are made of. */
export class Tallies {
  /** Results by provider and rule. */
  private readonly byProvider = new Map<Provider, Map<string, RuleTally>>();
  private readonly bySelector = new Map<string, RuleTally | undefined>();
  private readonly evaluated = new Map<Provider, Date>();

  constructor(parts: readonly RuleTallies[]) {
    for (const { provider, rule_ids, passed, failed, not_applicable, not_evaluated, evaluated_at } of parts) {
      const tally = (n: number): RuleTally => ({
        PASS: passed[n]!,
        FAIL: failed[n]!,
        NOT_APPLICABLE: not_applicable[n]!,
        NOT_EVALUATED: not_evaluated[n]!,
      });
      this.byProvider.set(provider, new Map(rule_ids.map((id, n) => [id, tally(n)])));
      this.evaluated.set(provider, new Date(evaluated_at));
    }
  }

  /** When a resource of one of these providers was last evaluated; null where none was. */
  evaluatedAt(providers: readonly Provider[]): Date | null {
    const moments = providers.flatMap((provider) => this.evaluated.get(provider)?.getTime() ?? []);
    return moments.length === 0 ? null : new Date(Math.max(...moments));
  }

  /** The providers that have results. */
  get providers(): Provider[] {
    return [...this.byProvider.keys()];
  }

  /** Rules that fail on any resource. */
  get failing(): string[] {
    const ids = [...this.byProvider.values()].flatMap((rules) => [...rules].flatMap(([id, { FAIL }]) => (FAIL > 0 ? [id] : [])));
    return [...new Set(ids)];
  }

  /** What a rule said, over all providers. */
  ofRule(ruleId: string): RuleTally {
    const sum = empty();
    for (const rules of this.byProvider.values()) add(sum, rules.get(ruleId));
    return sum;
  }

  /** Adds up the results of these providers by selector, or by rule id where the selector is one. */
  of(providers: readonly Provider[]): TallyOf {
    return (selector) => {
      const sums = providers.map((provider) => this.selected(selector, provider)).filter((tally) => tally !== undefined);
      if (sums.length <= 1) return sums[0];
      const sum = empty();
      for (const part of sums) add(sum, part);
      return sum;
    };
  }

  private selected(selector: string, provider: Provider): RuleTally | undefined {
    const key = `${provider}\n${selector}`;
    if (this.bySelector.has(key)) return this.bySelector.get(key);
    const rules = this.byProvider.get(provider);
    let sum: RuleTally | undefined;
    if (rules !== undefined) {
      const named = rulesOfSelector(selector);
      const ids = named.length === 0 ? [selector] : named.map(({ rule_id }) => rule_id);
      for (const id of ids) {
        const tally = rules.get(id);
        if (tally !== undefined) add((sum ??= empty()), tally);
      }
    }
    this.bySelector.set(key, sum);
    return sum;
  }
}

function add(sum: RuleTally, part: RuleTally | undefined): void {
  if (part !== undefined) for (const verdict of VERDICTS) sum[verdict] += part[verdict];
}

/** Reads the stored results of a part of the estate. */
export const readTallies = async (context: EngineContext, scope: ScoreScope): Promise<Tallies> =>
  new Tallies(await readRuleTallies(context, scope));
