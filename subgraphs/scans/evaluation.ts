import { loadCatalog } from '../../catalog/catalog.js';
import type { Subject } from '../../catalog/cel/asset-value.js';
import { RuleSet, type Evaluation } from '../../catalog/evaluate.js';
import { evidenceOf, messageOf } from '../../catalog/evidence.js';
import { reportedOf, severityOf, type Reported } from '../../catalog/standing.js';
import { profileOrDefault, type Profile } from '../../catalog/profiles.js';
import { companionTypes, Inventory } from '../../catalog/inventory.js';
import { compileTenantExpression, StepBudget } from '../../catalog/tenant-expression.js';
import { subjectOf } from '../../catalog/subject.js';
import { applyChanges, familiesByName } from '../../catalog/tenant-catalog.js';
import { textsOf } from '../../catalog/texts.js';
import type { Family, Rule } from '../../catalog/types.js';
import type { AssetInput, EdgeInput } from '../../importers/index.js';
import type { Observation } from '../../schema/observations.js';
import { EVALUATION_SOURCE, type ResourceResults, type RuleVerdictEntry } from '../../kit/engine/rule-results.js';
import type { TenantRule, TenantRules } from '../../kit/engine/tenant-rules.js';
import type { RunScope } from './records.js';

/** What the rules say of one resource. */
export interface Judged {
  results: ResourceResults;
  /** One for each failure that no stronger one stands for. */
  failures: Observation[];
  /** The rules that fail and have no observation, each with the rule whose failure stands for it. */
  implied: Record<string, string>;
  /** The rules that fail and have no observation, because the tenant's profile leaves them out. */
  outside: string[];
}

/** A part of what surrounds the resources of a report, and the types of which it tells all. */
export interface SurroundingPart {
  assets: readonly AssetInput[];
  edges: readonly EdgeInput[];
  listed: readonly string[];
}

let wholeCatalog: RuleSet | undefined;

/** What an evaluation goes by; it reaches its thread as it is. */
export interface EvaluationInput {
  scope: RunScope;
  tenant: TenantRules;
  /** Steps that the tenant's own rules may take in the run. */
  steps: number;
}

/** Evaluates posture rules over the inventory of one report, against what surrounds each resource in it. It works without a pause: in a thread of its own. */
export class PostureEvaluation {
  /** The engines that the rules raise findings of, by taxonomy. */
  readonly engines: readonly string[];
  /** The resource types that rules look at beside the resource that they judge. */
  readonly kept: ReadonlySet<string>;

  private readonly families: ReadonlyMap<string, Family>;
  private readonly rules: RuleSet;
  private readonly ownRules: RuleSet<TenantRule> | null;
  private readonly scope: RunScope;
  private readonly profile: Profile;
  private readonly inventory: Inventory;

  constructor({ scope, tenant, steps }: EvaluationInput) {
    const rules = applyChanges(loadCatalog().rules, tenant.settings);
    const budget = new StepBudget(steps);
    this.scope = scope;
    this.profile = profileOrDefault(tenant.profile);
    this.rules = rules === loadCatalog().rules ? (wholeCatalog ??= new RuleSet(rules)) : new RuleSet(rules);
    this.ownRules =
      tenant.rules.length === 0 ? null : new RuleSet(tenant.rules, (expression) => compileTenantExpression(expression, budget));
    this.kept = companionTypes([...rules, ...tenant.rules]);
    this.inventory = new Inventory(this.kept);
    this.families = familiesByName(loadCatalog().families);
    this.engines = [...new Set([...rules, ...tenant.rules].map(({ engine }) => engine))];
  }

  /** Takes note of what surrounds the resources: all of it before the first is judged, assets before the edges between them. */
  surround({ assets, edges, listed }: SurroundingPart): void {
    this.inventory.list(listed);
    for (const asset of assets) this.inventory.add(subjectOf(asset));
    for (const { from, to } of edges) this.inventory.refer(from, to);
  }

  /** @param aside rules whose findings on the resource a person has set aside */
  judge(asset: AssetInput, aside: readonly string[] = []): Judged {
    const subject = subjectOf(asset);
    return this.judged(asset, subject, aside, [
      ...this.rules.evaluate(subject, this.inventory),
      ...(this.ownRules?.evaluate(subject, this.inventory) ?? []),
    ]);
  }

  /**
   * Judges a resource by results that are stored: nothing is evaluated, and those of rules that are none of the tenant's any more are left out.
   * @param asset as it is stored, for the evidence
   */
  recall(asset: AssetInput, stored: readonly RuleVerdictEntry[], aside: readonly string[]): Judged {
    return this.judged(asset, subjectOf(asset), aside, [
      ...this.rules.recall(asset.resource_type, stored),
      ...(this.ownRules?.recall(asset.resource_type, stored) ?? []),
    ]);
  }

  private judged(
    asset: AssetInput,
    subject: Subject,
    aside: readonly string[],
    evaluations: readonly Evaluation<Rule | TenantRule>[],
  ): Judged {
    const { resource_uid, resource_type, resource_name = null, provider, account_id = null, region } = asset;
    const results = evaluations.map(({ rule, result, reason }) => ({ rule_id: rule.rule_id, result, ...(reason && { reason }) }));
    const failing = evaluations.filter(({ result }) => result === 'FAIL');
    // what a person has set aside is seen again whatever the profile, so that it stays what it is
    const isOutside = ({ rule }: Evaluation<Rule | TenantRule>): boolean =>
      'family' in rule && !this.profile.has(rule) && !aside.includes(rule.rule_id);
    const reported = reportedOf(
      failing.filter((evaluation) => !isOutside(evaluation)),
      new Set(aside),
    );
    return {
      results: { resource_uid, resource_type, resource_name, provider, account_id, region, artifact: this.scope.artifact ?? null, results },
      failures: reported.map((one) => this.failure(asset, subject, one)),
      implied: Object.fromEntries(
        reported.flatMap(({ evaluation, implied }) => implied.map(({ rule }) => [rule.rule_id, evaluation.rule.rule_id])),
      ),
      outside: failing.filter(isOutside).map(({ rule }) => rule.rule_id),
    };
  }

  private failure(asset: AssetInput, subject: Subject, reported: Reported<Rule | TenantRule>): Observation {
    const { rule } = reported.evaluation;
    const family = 'family' in rule ? this.families.get(rule.family)! : null;
    const facts = family ? this.catalogFacts(subject, asset, reported as Reported<Rule>, family) : ownFacts(rule as TenantRule);
    const { address, file, line } = asset.source;
    return {
      engine: rule.engine,
      result: 'FAIL',
      rule_id: rule.rule_id,
      title: facts.title,
      severity: severityOf(reported),
      resource_uid: asset.resource_uid,
      resource_type: asset.resource_type,
      ...(asset.resource_name === undefined ? {} : { resource_name: asset.resource_name }),
      provider: asset.provider,
      ...(asset.account_id === undefined ? {} : { account_id: asset.account_id }),
      region: asset.region,
      ...(this.scope.artifact === undefined ? {} : { artifact: this.scope.artifact }),
      source: EVALUATION_SOURCE,
      mitre_techniques: family?.techniques ?? [],
      evidence: { ...facts.evidence, address, ...(file && { file }), ...(line && { line }) },
      position: asset.position,
    };
  }

  private catalogFacts(subject: Subject, asset: AssetInput, { evaluation, implied }: Reported<Rule>, family: Family) {
    const evidence = evidenceOf(evaluation.rule, subject, asset.sensitive_paths);
    const { title } = textsOf(evaluation.rule, family);
    const status_detail = messageOf(evaluation, subject, title, asset.sensitive_paths);
    return { title, evidence: { ...evidence, status_detail, ...(implied.length > 0 && this.impliedFacts(subject, asset, implied)) } };
  }

  private impliedFacts(subject: Subject, asset: AssetInput, implied: readonly Evaluation[]) {
    const details = implied.slice(0, MOST_DETAILS).map((one) => {
      const { title } = textsOf(one.rule, this.families.get(one.rule.family)!);
      return messageOf(one, subject, title, asset.sensitive_paths);
    });
    return { implied: implied.map(({ rule }) => rule.rule_id), implied_details: details };
  }
}

/** Implied failures of which the evidence tells what was found. */
const MOST_DETAILS = 20;

function ownFacts({ title, expression }: TenantRule) {
  return { title, evidence: { expression, attribute: null, actual: null, expected: title, status_detail: title } };
}
