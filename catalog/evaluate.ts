import { isCelError, type CelInput, type CelResult } from '@bufbuild/cel';
import { AssetValue, type Subject, type Surroundings } from './cel/asset-value.js';
import { compile, type Program } from './cel/environment.js';
import { BlockValue } from './cel/value.js';
import type { Rule } from './types.js';

/** What a rule says of a resource. An error or an unresolved reference is neither PASS nor FAIL. */
export type Verdict = 'PASS' | 'FAIL' | 'NOT_APPLICABLE' | 'NOT_EVALUATED';

/** The result of one rule on one resource, with the reason where it could not be evaluated. */
export interface Evaluation<R extends Evaluable = Rule> {
  rule: R;
  result: Verdict;
  reason?: string;
  /** What a failure failed by: asked about a part of the resource, it tells whether that part is at fault. */
  program?: Program;
}

/** What evaluation needs of a rule. */
export type Evaluable = Pick<Rule, 'rule_id' | 'resource_types' | 'expression' | 'applies'>;

interface Compiled<R> {
  rule: R;
  program: Program;
  applies: Program | undefined;
}

/** How a tenant's expression is compiled and run: with a budget (custom-rule.ts); the catalog's own needs none. */
export type Compiler = (expression: string) => Program;

/** Rules by resource type, compiled when the first resource of the type comes. */
export class RuleSet<R extends Evaluable = Rule> {
  private readonly byType = new Map<string, R[]>();
  private readonly compiled = new Map<string, Compiled<R>[]>();
  private readonly programs = new Map<string, Program>();

  constructor(
    readonly rules: readonly R[],
    private readonly compiler: Compiler = compile,
  ) {
    for (const rule of rules) {
      for (const type of rule.resource_types) {
        const list = this.byType.get(type);
        if (list === undefined) this.byType.set(type, [rule]);
        else list.push(rule);
      }
    }
  }

  /** Whether any rule looks at resources of the type. */
  judges(resourceType: string): boolean {
    return this.byType.has(resourceType);
  }

  /** Asks every rule of the resource's type, in the order that they were given in. The configuration becomes a CEL value once. */
  evaluate(subject: Subject, surroundings: Surroundings): Evaluation<R>[] {
    const rules = this.rulesOf(subject.resource_type);
    if (rules.length === 0) return [];
    const bindings = bindingsOf(subject, surroundings);
    // errors are answers here: what an unresolved reference gives needs no stack
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    try {
      const answered = new Map<Program, CelResult>();
      return rules.map((rule) => judge(rule, bindings, answered));
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  }

  /** Results that were given earlier, of the rules that look at the type: those of others are left out. Nothing is evaluated. */
  recall(type: string, results: readonly { rule_id: string; result: Verdict; reason?: string }[]): Evaluation<R>[] {
    const given = new Map(results.map((entry) => [entry.rule_id, entry]));
    return (this.byType.get(type) ?? []).flatMap((rule): Evaluation<R>[] => {
      const entry = given.get(rule.rule_id);
      if (entry === undefined) return [];
      const { result, reason } = entry;
      return [
        { rule, result, ...(reason !== undefined && { reason }), ...(result === 'FAIL' && { program: this.program(rule.expression) }) },
      ];
    });
  }

  private rulesOf(type: string): Compiled<R>[] {
    let rules = this.compiled.get(type);
    if (rules === undefined) {
      rules = (this.byType.get(type) ?? []).map((rule) => ({
        rule,
        program: this.program(rule.expression),
        applies: rule.applies === undefined ? undefined : this.program(rule.applies),
      }));
      this.compiled.set(type, rules);
    }
    return rules;
  }

  private program(expression: string): Program {
    let program = this.programs.get(expression);
    if (program === undefined) this.programs.set(expression, (program = this.compiler(expression)));
    return program;
  }
}

type Bindings = Parameters<Program>[0];

/** `r` and `asset` of a resource. */
export function bindingsOf(subject: Subject, surroundings: Surroundings): Bindings {
  const open = subject.unknown_paths?.length ? new Set(subject.unknown_paths) : undefined;
  return {
    r: new BlockValue(subject.configuration, '', open) as unknown as CelInput,
    asset: new AssetValue(subject, surroundings) as unknown as CelInput,
  };
}

/** @param answered what the conditions of other rules, which are often the same, gave for this resource */
function judge<R extends Evaluable>(
  { rule, program, applies }: Compiled<R>,
  bindings: Bindings,
  answered: Map<Program, CelResult>,
): Evaluation<R> {
  if (applies !== undefined) {
    let applicable = answered.get(applies);
    if (applicable === undefined) answered.set(applies, (applicable = applies(bindings)));
    if (applicable === false) return { rule, result: 'NOT_APPLICABLE' };
    if (applicable !== true) return { rule, result: 'NOT_EVALUATED', reason: reasonOf(applicable) };
  }
  const answer = program(bindings);
  if (answer === true) return { rule, result: 'PASS' };
  if (answer === false) return { rule, result: 'FAIL', program };
  return { rule, result: 'NOT_EVALUATED', reason: reasonOf(answer) };
}

const reasonOf = (answer: unknown): string => (isCelError(answer) ? answer.message : 'the expression gave no boolean').slice(0, 300);
