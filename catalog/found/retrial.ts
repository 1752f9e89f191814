import { compile, type Program } from '../cel/environment.js';
import type { Subject, Surroundings } from '../cel/asset-value.js';
import { bindingsOf } from '../evaluate.js';
import type { Rule } from '../types.js';

/** Programs that are kept: failures of one rule come one after the other. */
const MOST_PROGRAMS = 1_000;
const programs = new Map<string, Program>();

/** A rule that looks around gives no answer here, and so blames nothing. */
const NOTHING_AROUND: Surroundings = { companions: () => undefined, resources: () => undefined };

/** Whether a rule fails a resource that has another configuration: one that holds a part of what the resource has shows whether that part is at fault. */
export function failsWith({ expression }: Pick<Rule, 'expression'>, subject: Subject, configuration: unknown): boolean {
  let program = programs.get(expression);
  if (program === undefined) {
    if (programs.size >= MOST_PROGRAMS) programs.clear();
    programs.set(expression, (program = compile(expression)));
  }
  return program(bindingsOf({ ...subject, configuration: configuration as Subject['configuration'] }, NOTHING_AROUND)) === false;
}
