import type { Provider, Severity } from '../schema/model.js';

/** What an absent attribute means: the provider's real default. */
export type Outcome = 'pass' | 'fail' | 'not_applicable';

/** What is asked of an attribute's value; docs/catalog.md has the table. */
export interface Check {
  is?: boolean;
  one_of?: (string | number | boolean)[];
  none_of?: (string | number | boolean)[];
  ignore_case?: boolean;
  min?: number;
  max?: number;
  matches?: string;
  not_matches?: string;
  set?: boolean;
  literal?: false;
  cel?: string;
}

export interface Step {
  action: string;
  detail?: string;
}

export interface Link {
  url: string;
  title: string;
}

/** Texts and judgement that a family gives and a target may change. `{variables}` are filled in per rule. */
export interface RuleTexts {
  title: string;
  description: string;
  rationale: string;
  severity: Severity;
  /** Taxonomy: the engine whose findings the rule raises. */
  engine: string;
  expected?: string;
  steps: Step[];
  references: Link[];
}

/** A member of a family that makes several rules of one target: its slug, and what its variables stand for. */
export type Variant = { slug: string; severity?: Severity } & Record<string, unknown>;

/** What failures of rules make redundant on the same resource; `by` are ends of the ids of the family's rules that say so, all where absent. */
export interface Implication {
  by?: string[];
  /** Selectors: `<family>`, `<family>/<end of the id>`. */
  rules: string[];
}

/** Rules of a family that are in the recommended profile: a glob of their ids, or types and ends of ids, each by globs. */
export type Recommendation = string | { types: string[]; ends: string[] };

/** A rule family: `catalog/families/<family>/family.yaml`. */
export interface Family extends RuleTexts {
  family: string;
  module: string;
  subcategory: string;
  techniques: string[];
  effort: string;
  check: Check & { absent?: Outcome };
  variants: Variant[];
  implies: Implication[];
  /** Failures of the family's rules on one resource are one finding: the worst stands for the others. */
  together: boolean;
  /** What of it a reviewer would defend on every estate. */
  recommended: Recommendation[];
}

/** What a family applies to: an item of `catalog/families/<family>/<provider>.yaml`. */
export interface Target extends Check, Partial<RuleTexts> {
  type: string[];
  path?: string;
  slug?: string;
  absent?: Outcome;
  block_absent?: Outcome;
  each?: 'all' | 'any';
  when?: string;
  given?: Record<string, unknown>;
  pass?: Record<string, unknown>;
  fail?: Record<string, unknown>;
  vars?: Record<string, string>;
  /** Of a `cel` check: what a tenant may set; `{{name}}` stands for it in the expression. */
  parameters?: Parameters;
  only?: string[];
  /** Selectors of what a failure makes redundant, beside what the family says. */
  implies?: string[];
}

/** A number or list of a rule that a tenant may set; `{{name}}` stands for it in the expression's template. */
export type Parameters = Readonly<Record<string, number | readonly (string | number | boolean)[]>>;

/** A concrete rule of the catalog, as the build writes it. Texts are made of the family's when they are asked for (texts.ts). */
export interface Rule {
  rule_id: string;
  family: string;
  provider: Provider;
  /** One resource under these type names. */
  resource_types: string[];
  severity: Severity;
  engine: string;
  /** CEL over `r` and `asset`; true passes. */
  expression: string;
  /** CEL; the rule is not applicable where it is not true. */
  applies?: string;
  /** The attribute it looks at, where it is one. */
  path?: string;
  /** What the attribute should be, in words. */
  expected: string;
  /** With parameters: the expression with `{{name}}` for each, and the catalog's values. */
  template?: string;
  parameters?: Parameters;
  /** The variant's members and the target's `vars`: what variables stand for. */
  variables?: Record<string, string>;
  /** Ids of the rules that a failure makes redundant on the same resource, those that they imply included. */
  implies?: string[];
  /** Failures of rules of one `together`, which names family and engine, are one finding on one resource. */
  together?: string;
  /** In the recommended profile. */
  recommended?: true;
  /** A tenant has set the severity. */
  severity_set?: boolean;
  /** What tells the title from that of another rule of the type. */
  told_by?: string;
  /** Texts of the target instead of the family's. */
  texts?: Partial<Omit<RuleTexts, 'severity' | 'engine'>>;
}

/** Configurations of which the rule passes one and fails the other. */
export interface SamplePair {
  pass: Record<string, unknown>;
  fail: Record<string, unknown>;
}

/** A rule with its generated pair; only the build and the tests need those. */
export interface ExpandedRule extends Rule {
  samples: SamplePair;
}
