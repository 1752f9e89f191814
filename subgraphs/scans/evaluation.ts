import { loadCatalog } from '../../catalog/catalog.js';
import type { Subject } from '../../catalog/cel/asset-value.js';
import { RuleSet, type Evaluation } from '../../catalog/evaluate.js';
import { evidenceOf, messageOf } from '../../catalog/evidence.js';
import { companionTypes, readInventory, type Inventory } from '../../catalog/inventory.js';
import { compileTenantExpression } from '../../catalog/tenant-expression.js';
import { subjectOf } from '../../catalog/subject.js';
import { applyChanges, familiesByName } from '../../catalog/tenant-catalog.js';
import { textsOf } from '../../catalog/texts.js';
import type { Family, Rule } from '../../catalog/types.js';
import type { AssetInput, Importer, ReportSource } from '../../importers/index.js';
import type { Observation } from '../../schema/observations.js';
import type { ResourceResults } from '../../kit/engine/rule-results.js';
import type { TenantRule, TenantRules } from '../../kit/engine/tenant-rules.js';
import type { RunScope } from './records.js';

/** `source` of findings that the catalog's evaluation raises: scanners' runs never close them, and theirs are never closed by it. */
export const EVALUATION_SOURCE = 'palisade';

/** What the rules say of one resource. */
export interface Judged {
  results: ResourceResults;
  /** One for each rule that fails. */
  failures: Observation[];
}

let wholeCatalog: RuleSet | undefined;

/** Evaluates posture rules over the inventory of one report, against what surrounds each resource in it. */
export class PostureEvaluation {
  private readonly families: ReadonlyMap<string, Family>;

  private constructor(
    private readonly rules: RuleSet,
    private readonly ownRules: RuleSet<TenantRule> | null,
    private readonly inventory: Inventory,
    private readonly scope: RunScope,
  ) {
    this.families = familiesByName(loadCatalog().families);
    this.engines = [...new Set([...rules.rules, ...(ownRules?.rules ?? [])].map(({ engine }) => engine))];
  }

  /** Reads the report once, for what surrounds the resources. @param onItem called for every item of the report */
  static async open(
    importer: Importer,
    source: ReportSource,
    scope: RunScope,
    tenant: TenantRules,
    onItem: () => Promise<void> | void,
  ): Promise<PostureEvaluation> {
    const rules = applyChanges(loadCatalog().rules, tenant.settings);
    const whole = rules === loadCatalog().rules;
    const set = whole ? (wholeCatalog ??= new RuleSet(rules)) : new RuleSet(rules);
    const own = tenant.rules.length === 0 ? null : new RuleSet(tenant.rules, compileTenantExpression);
    const kept = companionTypes([...rules, ...tenant.rules]);
    const inventory = await readInventory(importer.read(source, scope), kept, onItem);
    return new PostureEvaluation(set, own, inventory, scope);
  }

  /** The engines that the rules raise findings of, by taxonomy. */
  readonly engines: readonly string[];

  judge(asset: AssetInput): Judged {
    const subject = subjectOf(asset);
    const evaluations: Evaluation<Rule | TenantRule>[] = [
      ...this.rules.evaluate(subject, this.inventory),
      ...(this.ownRules?.evaluate(subject, this.inventory) ?? []),
    ];
    const { resource_uid, resource_type, resource_name = null, provider, account_id = null, region } = asset;
    const results = evaluations.map(({ rule, result, reason }) => ({ rule_id: rule.rule_id, result, ...(reason && { reason }) }));
    return {
      results: { resource_uid, resource_type, resource_name, provider, account_id, region, artifact: this.scope.artifact ?? null, results },
      failures: evaluations.filter(({ result }) => result === 'FAIL').map((evaluation) => this.failure(asset, subject, evaluation)),
    };
  }

  private failure(asset: AssetInput, subject: Subject, evaluation: Evaluation<Rule | TenantRule>): Observation {
    const { rule } = evaluation;
    const family = 'family' in rule ? this.families.get(rule.family)! : null;
    const said = family ? this.catalogFacts(subject, asset, evaluation as Evaluation, family) : ownFacts(rule as TenantRule);
    const { address, file, line } = asset.source;
    return {
      engine: rule.engine,
      result: 'FAIL',
      rule_id: rule.rule_id,
      title: said.title,
      severity: rule.severity,
      resource_uid: asset.resource_uid,
      resource_type: asset.resource_type,
      ...(asset.resource_name === undefined ? {} : { resource_name: asset.resource_name }),
      provider: asset.provider,
      ...(asset.account_id === undefined ? {} : { account_id: asset.account_id }),
      region: asset.region,
      ...(this.scope.artifact === undefined ? {} : { artifact: this.scope.artifact }),
      source: EVALUATION_SOURCE,
      mitre_techniques: family?.techniques ?? [],
      evidence: { ...said.evidence, address, ...(file && { file }), ...(line && { line }) },
      position: asset.position,
    };
  }

  private catalogFacts(subject: Subject, asset: AssetInput, evaluation: Evaluation, family: Family) {
    const evidence = evidenceOf(evaluation.rule, subject, asset.sensitive_paths);
    const { title } = textsOf(evaluation.rule, family);
    return { title, evidence: { ...evidence, status_detail: messageOf(evaluation, evidence, title) } };
  }
}

function ownFacts({ title, expression }: TenantRule) {
  return { title, evidence: { expression, attribute: null, actual: null, expected: title, status_detail: title } };
}
