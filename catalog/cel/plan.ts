import {
  celError,
  celList,
  celType,
  isCelList,
  isCelMap,
  type CelEnv,
  type CelError,
  type CelInput,
  type CelMap,
  type CelValue,
  type parse,
} from '@bufbuild/cel';
import { BlockValue, ListValue } from './value.js';

type Expr = NonNullable<ReturnType<typeof parse>['expr']>;
type Kind<C extends Expr['exprKind']['case']> = Extract<Expr['exprKind'], { case: C }> extends { value: infer V } ? V : never;
type Value = CelValue | CelError;
/** Values of the variables, by the place that planning gave them. */
type Frame = Value[];
type Step = (frame: Frame) => Value;

/** Answers of an environment's own functions for arguments of the types that they are for; undefined leaves the call to the environment. */
export type Shortcuts = Readonly<Record<string, (...args: CelValue[]) => Value | undefined>>;
/** Compiles a pattern of `matches` once. */
export type PatternCompiler = (pattern: string) => { test(text: string): boolean };

/** The expression uses what this planner does not know. */
class NotPlanned extends Error {}

/**
 * Plans a parsed expression like `plan` of `@bufbuild/cel`, with the same results and messages, for expressions over `r` and `asset`: it
 * finds variables when it plans instead of by name at every read, and answers operators for the common types without a search for their
 * overload. Every other call goes to the environment's functions. It differs in one thing: a macro goes on past an element that is an error,
 * as the language has it.
 * @returns undefined where the expression uses what is not known here (messages, type names, maps written out)
 */
export function planned(
  environment: CelEnv,
  expr: Expr,
  shortcuts: Shortcuts,
  compilePattern: PatternCompiler,
): ((bindings: { r: CelInput; asset: CelInput }) => Value) | undefined {
  try {
    const planner = new Planner(environment, shortcuts, compilePattern);
    const step = planner.plan(expr);
    const size = planner.size;
    return ({ r, asset }) => {
      const frame = new Array<Value>(size);
      frame[0] = r as Value;
      frame[1] = asset as Value;
      try {
        return step(frame);
      } catch (error) {
        return celError(error);
      }
    };
  } catch (error) {
    if (error instanceof NotPlanned) return undefined;
    throw error;
  }
}

/** Every CelError is an Error, and nothing else among the values is. */
const isError = (value: Value): value is CelError => typeof value === 'object' && value instanceof Error;

/** Configurations' maps are told by their class, which is quicker than by CEL's mark. */
const isMap = (value: CelValue): value is CelMap => (value as unknown) instanceof BlockValue || isCelMap(value);

const COMPARISONS: Readonly<Record<string, (a: number | string, b: number | string) => boolean>> = {
  '_<_': (a, b) => a < b,
  '_<=_': (a, b) => a <= b,
  '_>_': (a, b) => a > b,
  '_>=_': (a, b) => a >= b,
};
const TEXT_METHODS: Readonly<Record<string, (text: string, other: string) => boolean>> = {
  startsWith: (text, other) => text.startsWith(other),
  endsWith: (text, other) => text.endsWith(other),
  contains: (text, other) => text.includes(other),
};

class Planner {
  size = 2;
  private readonly scope: [name: string, place: number][] = [
    ['r', 0],
    ['asset', 1],
  ];

  constructor(
    private readonly environment: CelEnv,
    private readonly shortcuts: Shortcuts,
    private readonly compilePattern: PatternCompiler,
  ) {}

  plan({ exprKind: kind }: Expr): Step {
    switch (kind.case) {
      case 'constExpr': {
        const value = constant(kind.value);
        return () => value;
      }
      case 'identExpr': {
        const place = this.scope.findLast(([name]) => name === kind.value.name)?.[1];
        if (place === undefined) throw new NotPlanned();
        return (frame) => frame[place]!;
      }
      case 'selectExpr':
        return this.select(kind.value);
      case 'listExpr':
        return this.list(kind.value.elements);
      case 'comprehensionExpr':
        return this.comprehension(kind.value);
      case 'callExpr':
        return this.callExpression(kind.value);
      default:
        throw new NotPlanned();
    }
  }

  private select({ operand, field, testOnly }: Kind<'selectExpr'>): Step {
    if (operand === undefined) throw new NotPlanned();
    const of = this.plan(operand);
    if (testOnly) {
      return (frame) => {
        const value = of(frame);
        return isError(value) ? value : isMap(value) && value.has(field);
      };
    }
    return (frame) => {
      const value = of(frame);
      if (isError(value)) return value;
      return (isMap(value) ? (value.get(field) as Value | undefined) : undefined) ?? celError(`field not found: ${field}`);
    };
  }

  private list(elements: Expr[]): Step {
    if (elements.every(({ exprKind }) => exprKind.case === 'constExpr')) {
      const list = celList(elements.map(({ exprKind }) => constant((exprKind as { value: Kind<'constExpr'> }).value)));
      return () => list;
    }
    return strict(
      elements.map((element) => this.plan(element)),
      (values) => celList(values),
    );
  }

  private callExpression({ function: name, target, args }: Kind<'callExpr'>): Step {
    switch (name) {
      case '_&&_':
      case '_||_':
        return junction(
          args.map((argument) => this.plan(argument)),
          name === '_||_',
        );
      case '@not_strictly_false': {
        const of = this.plan(args[0]!);
        return (frame) => of(frame) !== false;
      }
      case '_?_:_':
        return this.conditional(args);
      case '_[_]':
        return this.index(args);
      default:
        return this.functionCall(name, target, args);
    }
  }

  private conditional(args: Expr[]): Step {
    const [condition, yes, no] = args.map((argument) => this.plan(argument)) as [Step, Step, Step];
    return (frame) => {
      const value = condition(frame);
      if (value === true) return yes(frame);
      if (value === false) return no(frame);
      return isError(value) ? value : celError(`found no matching overload for _?_:_ applied to '(${celType(value).name})'`);
    };
  }

  private index(args: Expr[]): Step {
    const [of, at] = args.map((argument) => this.plan(argument)) as [Step, Step];
    return (frame) => {
      const value = of(frame);
      if (isError(value)) return value;
      const key = at(frame);
      if (isError(key)) return key;
      const isText = typeof key === 'string';
      if (!isText && typeof key !== 'bigint' && typeof key !== 'number') return celError('unsupported key type');
      const found = isCelMap(value) ? value.get(key) : !isText && isCelList(value) ? value.get(Number(key)) : undefined;
      return (found as Value | undefined) ?? celError(isText ? `field not found: ${key}` : `index ${key} out of bounds [0, -1)`);
    };
  }

  private functionCall(name: string, target: Expr | undefined, args: Expr[]): Step {
    const group = this.environment.funcs.find(name);
    if (group === undefined) throw new NotPlanned();
    const steps = [...(target === undefined ? [] : [target]), ...args].map((argument) => this.plan(argument));
    const slow = (values: CelValue[]): Value => {
      const [of, given] = target === undefined ? [undefined, values] : [values[0], values.slice(1)];
      const types = (): string => given.map((value) => celType(value).name).join(', ');
      const applied = of === undefined ? '' : `${celType(of).toString()}.`;
      return group.call(0, of, given) ?? celError(`found no matching overload for '${name}' applied to '${applied}(${types()})'`);
    };
    const quick = this.quick(name, target === undefined, args);
    if (quick === undefined) return strict(steps, slow);
    const [first, second] = steps;
    if (steps.length === 1) {
      return (frame) => {
        const value = first!(frame);
        return isError(value) ? value : (quick(value) ?? slow([value]));
      };
    }
    if (steps.length === 2) {
      return (frame) => {
        const a = first!(frame);
        if (isError(a)) return a;
        const b = second!(frame);
        return isError(b) ? b : (quick(a, b) ?? slow([a, b]));
      };
    }
    return strict(steps, (values) => quick(...values) ?? slow(values));
  }

  /** The answer of a call for the common types of arguments; undefined for others. */
  private quick(name: string, isFunction: boolean, args: Expr[]): ((...values: CelValue[]) => Value | undefined) | undefined {
    const comparison = COMPARISONS[name];
    if (comparison !== undefined) {
      // a whole number beside a double counts as a double
      return (a, b) => {
        if (typeof a === 'number') {
          return typeof b === 'number' ? comparison(a, b) : typeof b === 'bigint' ? comparison(a, Number(b)) : undefined;
        }
        if (typeof a === 'bigint') {
          return typeof b === 'bigint' ? comparison(a as never, b as never) : typeof b === 'number' ? comparison(Number(a), b) : undefined;
        }
        return typeof a === 'string' && typeof b === 'string' ? comparison(a, b) : undefined;
      };
    }
    switch (name) {
      case '!_':
        return (value) => (typeof value === 'boolean' ? !value : undefined);
      case '_==_':
        return (a, b) => (typeof a === typeof b && (typeof a === 'string' || typeof a === 'boolean') ? a === b : undefined);
      case '_!=_':
        return (a, b) => (typeof a === typeof b && (typeof a === 'string' || typeof a === 'boolean') ? a !== b : undefined);
      case '@in': {
        const texts = textsOf(args[1]);
        return texts === undefined ? undefined : (value) => (typeof value === 'string' ? texts.has(value) : undefined);
      }
      case 'string':
        return (value) => (typeof value === 'string' ? value : undefined);
      case 'size':
        return (value) => (value instanceof ListValue ? BigInt(value.size) : undefined);
      case 'matches': {
        const pattern = isFunction ? undefined : textOf(args[0]);
        if (pattern === undefined) return undefined;
        let matcher: ReturnType<PatternCompiler> | undefined;
        return (text) => (typeof text === 'string' ? (matcher ??= this.compilePattern(pattern)).test(text) : undefined);
      }
    }
    const method = isFunction ? undefined : TEXT_METHODS[name];
    if (method !== undefined) return (a, b) => (typeof a === 'string' && typeof b === 'string' ? method(a, b) : undefined);
    return isFunction ? this.shortcuts[name] : undefined;
  }

  private comprehension(parts: Kind<'comprehensionExpr'>): Step {
    const { iterVar, iterRange, accuVar, accuInit, loopCondition, loopStep, result } = parts;
    if (!iterRange || !accuInit || !loopCondition || !loopStep || !result) throw new NotPlanned();
    const range = this.plan(iterRange);
    const start = this.plan(accuInit);
    const [accumulated, item] = [this.size++, this.size++];
    this.scope.push([accuVar, accumulated]);
    const give = this.plan(result);
    this.scope.push([iterVar, item]);
    const predicate = predicateOf(parts);
    const turn =
      predicate === undefined
        ? folding(this.plan(loopCondition), this.plan(loopStep), accumulated)
        : deciding(this.plan(predicate.test), predicate.decisive, accumulated);
    this.scope.length -= 2;
    return (frame) => {
      const initial = start(frame);
      if (isError(initial)) return initial;
      const items = range(frame);
      if (isError(items)) return items;
      frame[accumulated] = initial;
      if (!isCelMap(items) && !isCelList(items)) return celError(`type mismatch: iterable vs ${celType(items).toString()}`);
      for (const value of (isCelMap(items) ? items.keys() : items) as Iterable<Value>) {
        // an element that is not resolved is met when it is read: another may decide
        frame[item] = value;
        const ends = turn(frame);
        if (ends === true) break;
        if (ends !== false) return ends;
      }
      return give(frame);
    };
  }
}

/** One turn of a macro: whether it ends with it, or the error that the macro ends in. */
type Turn = (frame: Frame) => boolean | CelError;

function folding(goesOn: Step, step: Step, accumulated: number): Turn {
  return (frame) => {
    const condition = goesOn(frame);
    if (isError(condition)) return condition;
    if (condition !== true) return true;
    frame[accumulated] = step(frame);
    return false;
  };
}

/** `all` and `exists`: the first answer that decides ends it. */
function deciding(test: Step, decisive: boolean, accumulated: number): Turn {
  return (frame) => {
    const value = test(frame);
    if (value === decisive) {
      frame[accumulated] = decisive;
      return true;
    }
    // an error stays, unless a later element decides
    if (typeof value !== 'boolean' && !isError(frame[accumulated]!)) frame[accumulated] = isError(value) ? value : mismatch(value);
    return false;
  };
}

/** The condition of `all` (decided by false) or `exists` (decided by true); undefined for other macros and for counted turns. */
function predicateOf({ accuVar, loopCondition, loopStep, result }: Kind<'comprehensionExpr'>) {
  const step = loopStep?.exprKind;
  const condition = loopCondition?.exprKind;
  if (step?.case !== 'callExpr' || condition?.case !== 'callExpr' || condition.value.function !== '@not_strictly_false') return undefined;
  const [first, test, more] = step.value.args;
  const isOwn = (expr: Expr | undefined): boolean => expr?.exprKind.case === 'identExpr' && expr.exprKind.value.name === accuVar;
  if (!isOwn(first) || !isOwn(result) || test === undefined || more !== undefined) return undefined;
  const { function: name } = step.value;
  return name === '_&&_' ? { test, decisive: false } : name === '_||_' ? { test, decisive: true } : undefined;
}

const mismatch = (value: CelValue): CelError => celError(`type mismatch: expected bool, got ${celType(value).toString()}`);

/** `&&` (decided by false) and `||` (decided by true): an error counts only where no part decides. */
function junction(parts: Step[], decisive: boolean): Step {
  const [first, second] = parts;
  if (parts.length === 2) {
    return (frame) => {
      const a = first!(frame);
      if (a === decisive) return decisive;
      const b = second!(frame);
      if (b === decisive) return decisive;
      return typeof a !== 'boolean' ? (isError(a) ? a : mismatch(a)) : typeof b === 'boolean' || isError(b) ? b : mismatch(b);
    };
  }
  return (frame) => {
    let failure: CelError | undefined;
    for (const part of parts) {
      const value = part(frame);
      if (value === decisive) return decisive;
      if (typeof value !== 'boolean') failure ??= isError(value) ? value : mismatch(value);
    }
    return failure ?? !decisive;
  };
}

/** Hands values on when none of them is an error. */
function strict(steps: Step[], of: (values: CelValue[]) => Value): Step {
  return (frame) => {
    const values: CelValue[] = [];
    for (const step of steps) {
      const value = step(frame);
      if (isError(value)) return value;
      values.push(value);
    }
    return of(values);
  };
}

function constant({ constantKind: { case: kind, value } }: Kind<'constExpr'>): CelValue {
  if (kind === 'nullValue') return null;
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return value;
  if (kind === 'int64Value') return value;
  throw new NotPlanned();
}

const textOf = (expr: Expr | undefined): string | undefined =>
  expr?.exprKind.case === 'constExpr' && expr.exprKind.value.constantKind.case === 'stringValue'
    ? expr.exprKind.value.constantKind.value
    : undefined;

/** The texts of a list of texts that is written out. */
function textsOf(expr: Expr | undefined): ReadonlySet<string> | undefined {
  if (expr?.exprKind.case !== 'listExpr') return undefined;
  const texts = expr.exprKind.value.elements.map(textOf);
  return texts.includes(undefined) ? undefined : new Set(texts as string[]);
}
