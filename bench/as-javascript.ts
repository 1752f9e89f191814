import { parse } from '@bufbuild/cel';
import { compileFunction } from 'node:vm';
import { runtime, type Asset } from './javascript-runtime.js';

type Expr = NonNullable<ReturnType<typeof parse>['expr']>;
type Kind<C extends Expr['exprKind']['case']> = Extract<Expr['exprKind'], { case: C }> extends { value: infer V } ? V : never;

/** A rule's predicate as a function of plain JavaScript: true, false, or anything else where a reference leaves it open. */
export type Predicate = (r: Readonly<Record<string, unknown>>, asset: Asset) => unknown;

/** Writes an expression as a JavaScript function over the configuration as JSON.parse gives it. */
export function asJavaScript(expression: string): Predicate {
  const body = new Writer().function(['r', 'asset'], parse(expression).expr!);
  return (compileFunction(`'use strict'; return ${body};`, Object.keys(runtime)) as (...helpers: unknown[]) => Predicate)(
    ...Object.values(runtime),
  );
}

const OPERATORS: Readonly<Record<string, string>> = {
  '_==_': 'equal',
  '_!=_': 'unequal',
  '!_': 'not',
  '_<_': 'less',
  '_<=_': 'atMost',
  '_>_': 'more',
  '_>=_': 'atLeast',
  '_+_': 'plus',
  '_-_': 'minus',
  '-_': 'negative',
  '@in': 'within',
  '_[_]': 'at',
};

class Writer {
  private readonly variables: string[][] = [];
  private made = 0;

  /** A function with an expression for its body, and the variables that the expression needs. */
  function(parameters: readonly string[], body: Expr): string {
    this.variables.push([]);
    const text = this.write(body);
    const own = this.variables.pop()!;
    return own.length === 0
      ? `(${parameters.map(name).join()}) => ${text}`
      : `(${parameters.map(name).join()}) => { let ${own.join()}; return ${text}; }`;
  }

  private write({ exprKind: kind }: Expr): string {
    switch (kind.case) {
      case 'constExpr':
        return constant(kind.value);
      case 'identExpr':
        return TYPES.has(kind.value.name) ? JSON.stringify(kind.value.name) : name(kind.value.name);
      case 'selectExpr':
        return `${kind.value.testOnly ? 'has' : 'get'}(${this.write(kind.value.operand!)}, ${JSON.stringify(kind.value.field)})`;
      case 'listExpr':
        return `listOf([${kind.value.elements.map((element) => this.write(element)).join()}])`;
      case 'structExpr':
        return `mapOf([${kind.value.entries.map(({ keyKind, value }) => `[${this.write(keyKind.value as Expr)},${this.write(value!)}]`).join()}])`;
      case 'comprehensionExpr':
        return this.comprehension(kind.value);
      case 'callExpr':
        return this.call(kind.value);
      default:
        throw new Error(`the expression has a ${String(kind.case)}`);
    }
  }

  private call({ function: called, target, args }: Kind<'callExpr'>): string {
    if (called === '_&&_' || called === '_||_') return this.logic(args, called === '_&&_');
    const written = args.map((argument) => this.write(argument));
    if (called === '_?_:_') {
      const condition = this.variable();
      return `((${condition} = ${written[0]!}) === true ? ${written[1]!} : ${condition} === false ? ${written[2]!} : OPEN)`;
    }
    if (called === 'matches') {
      const texts = target === undefined ? written : [this.write(target), ...written];
      return `matches(${texts.join()})`;
    }
    const helper = OPERATORS[called] ?? called;
    if (!(helper in runtime)) throw new Error(`the baseline has no ${called}`);
    return `${helper}(${[...(target === undefined ? [] : [this.write(target)]), ...written].join()})`;
  }

  /** One part that decides is enough, whatever cannot be known of the others. */
  private logic(args: readonly Expr[], all: boolean): string {
    const parts = args.map((argument) => [this.variable(), this.write(argument)] as const);
    const decided = parts.map(([variable, text]) => `(${variable} = ${text}) === ${!all}`).join(' || ');
    const known = parts.map(([variable]) => `${variable} === ${all}`).join(' && ');
    return `(${decided} ? ${!all} : ${known} ? ${all} : OPEN)`;
  }

  private comprehension({ iterVar, iterRange, accuVar, accuInit, loopCondition, loopStep, result }: Kind<'comprehensionExpr'>): string {
    const range = this.write(iterRange!);
    const step = loopStep!.exprKind;
    const isMacro = result!.exprKind.case === 'identExpr' && step.case === 'callExpr' && step.value.args[0]?.exprKind.case === 'identExpr';
    if (isMacro && step.value.args[0]!.exprKind.value === undefined) throw new Error('an argument is missing');
    if (isMacro && ['_&&_', '_||_'].includes(step.value.function) && step.value.args.length === 2)
      return `${step.value.function === '_&&_' ? 'all' : 'exists'}(${range}, ${this.function([iterVar], step.value.args[1]!)})`;
    const both = [iterVar, accuVar];
    const parts = [this.function(both, loopCondition!), this.function(both, loopStep!), this.function([accuVar], result!)];
    return `fold(${range}, ${this.write(accuInit!)}, ${parts.join()})`;
  }

  private variable(): string {
    const variable = `v${this.made++}_`;
    this.variables.at(-1)!.push(variable);
    return variable;
  }
}

const TYPES = new Set(['map', 'list', 'string', 'bool', 'int', 'double']);
const name = (identifier: string): string =>
  identifier === 'r' || identifier === 'asset' ? identifier : `_${identifier.replace('@', '$')}`;

function constant({ constantKind: { case: kind, value } }: Kind<'constExpr'>): string {
  return kind === 'nullValue' ? 'null' : typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}
