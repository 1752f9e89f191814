import type { RuleInput } from '../../schema/observations.js';

/** Rules written at a time. */
const BATCH = 200;

/** Takes the rules of one report, each once. */
export class RuleDelivery {
  private readonly known = new Set<string>();
  private waiting: RuleInput[] = [];

  constructor(private readonly write: (rules: readonly RuleInput[]) => Promise<void>) {}

  async take(rule: RuleInput): Promise<void> {
    if (this.known.has(rule.rule_id)) return;
    this.known.add(rule.rule_id);
    if (this.waiting.push(rule) >= BATCH) await this.flush();
  }

  /** Writes what was taken and is not written yet. */
  async flush(): Promise<void> {
    const rules = this.waiting;
    this.waiting = [];
    if (rules.length > 0) await this.write(rules);
  }
}
