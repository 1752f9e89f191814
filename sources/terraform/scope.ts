import type { Declared, Module } from './module.js';
import type { Expression } from './syntax.js';
import type { Value } from './value.js';

/** What an expression was found to refer to while it was read. */
export class Trace {
  /** Addresses of resources, from the root. */
  readonly references = new Set<string>();
  /** A variable or output that is marked as sensitive was read. */
  sensitive = false;

  /** Takes over what was found elsewhere. */
  add({ references, sensitive }: Pick<Trace, 'references' | 'sensitive'>): void {
    for (const reference of references) this.references.add(reference);
    this.sensitive ||= sensitive;
  }
}

/** A name that a `for`, a splat or a dynamic block binds. */
export interface Frame {
  name: string;
  value: Value;
  outer: Frame | undefined;
}

/** One of several that a resource or module is made as: `count.index`, `each.key` and `each.value`. */
export interface Repeated {
  /** `[0]`, `["a"]`; empty for what is made once, or nobody knows how often. */
  index: string;
  count?: Value;
  each?: { key: Value; value: Value };
}

/** How often a resource or a module is made. */
export interface Repetition {
  instances: Repeated[];
  /** Nobody knows how often: one stands for all. */
  isOpen: boolean;
  by: 'none' | 'number' | 'key';
}

/** What expressions ask of the module that they stand in. */
export interface ModuleScope {
  readonly module: Module;
  /** From the root, `module.net[0]`; empty for the root. */
  readonly address: string;
  /** `path.module`: from the root module's folder. */
  readonly folder: string;
  /** Counts steps of work. @throws TooMuchWork */
  spend(steps: number): void;
  readText(path: string): string | undefined;
  readTemplate(path: string): Expression | undefined;
  scope(trace: Trace, repeated?: Repeated): Scope;
  variable(name: string, trace: Trace): Value | undefined;
  local(name: string, trace: Trace): Value | undefined;
  output(name: string, trace: Trace): Value;
  /** What is asked for again and again is evaluated once; what asks for itself is not known. */
  remember(key: string, trace: Trace, make: (own: Trace) => Value): Value;
  /** How often a resource or data source of this module is made. */
  repetition(declared: Pick<Declared, 'block'>, trace: Trace): Repetition;
  /** The instances of a module that this one calls; undefined for one that is not read. */
  child(name: string): { repetition: Repetition; instances: ModuleScope[] } | undefined;
}

/** Works out the value of an expression. */
export type Evaluate = (expression: Expression, scope: Scope) => Value;

/** Where an expression stands. */
export interface Scope {
  module: ModuleScope;
  repeated: Repeated;
  frame: Frame | undefined;
  trace: Trace;
  /** What works out expressions: those that it asks on the way ask it again. */
  evaluate: Evaluate;
}

/** A scope in which a name is bound beside those that are there. */
export const bound = (scope: Scope, name: string, value: Value): Scope => ({ ...scope, frame: { name, value, outer: scope.frame } });

/** What a bound name stands for. */
export function frameOf(scope: Scope, name: string): Frame | undefined {
  let { frame } = scope;
  while (frame !== undefined && frame.name !== name) frame = frame.outer;
  return frame;
}
