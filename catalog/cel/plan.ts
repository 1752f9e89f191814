import {
  celError,
  celList,
  celType,
  isCelList,
  isCelMap,
  type CelEnv,
  type CelInput,
  type CelMap,
  type CelValue,
  type parse,
} from '@bufbuild/cel';
import { measure, MEASURED, turn, TURN } from './costs.js';
import { gatheredBy } from './gathered.js';
import { quickCall, type PatternCompiler, type Shortcuts } from './quick-call.js';
import { deciding, folding, gathering, isError, junction, strict, type Step, type Value } from './step.js';
import { BlockValue } from './value.js';

type Expr = NonNullable<ReturnType<typeof parse>['expr']>;
type Kind<C extends Expr['exprKind']['case']> = Extract<Expr['exprKind'], { case: C }> extends { value: infer V } ? V : never;
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

/** Configurations' maps are recognized by their class, which is quicker than by CEL's mark. */
const isMap = (value: CelValue): value is CelMap => (value as unknown) instanceof BlockValue || isCelMap(value);

class Planner {
  size = 2;
  private readonly scope: [name: string, place: number][] = [
    ['r', 0],
    ['asset', 1],
  ];

  constructor(
    private readonly environment: CelEnv,
    readonly shortcuts: Shortcuts,
    readonly compilePattern: PatternCompiler,
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
      case TURN: {
        const steps = Number(this.plan(args[0]!)([]));
        return () => turn(steps);
      }
      case MEASURED: {
        const of = this.plan(args[0]!);
        const [perKib, shallow] = [Number(this.plan(args[1]!)([])), Number(this.plan(args[2]!)([])) === 1];
        return (frame) => measure(of(frame), perKib, shallow);
      }
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
    const quick = quickCall(name, target === undefined, args, this);
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
    const gathered = gatheredBy(parts);
    const turn = gathered
      ? gathering(this.plan(loopCondition), gathered.test && this.plan(gathered.test), this.plan(gathered.element))
      : predicate
        ? deciding(this.plan(predicate.test), predicate.decisive, accumulated)
        : folding(this.plan(loopCondition), this.plan(loopStep), accumulated);
    this.scope.length -= 2;
    return (frame) => {
      const initial = gathered ? celList([]) : start(frame);
      if (isError(initial)) return initial;
      const items = range(frame);
      if (isError(items)) return items;
      const elements: CelValue[] = [];
      // a list that grows: one made of the last one and an element would be a chain as long as the list
      frame[accumulated] = gathered ? celList(elements) : initial;
      if (!isCelMap(items) && !isCelList(items)) return celError(`type mismatch: iterable vs ${celType(items).toString()}`);
      for (const value of (isCelMap(items) ? items.keys() : items) as Iterable<Value>) {
        // an element that is not resolved is met when it is read: another may decide
        frame[item] = value;
        const ends = turn(frame, elements);
        if (ends === true) break;
        if (ends !== false) return ends;
      }
      return give(frame);
    };
  }
}

function constant({ constantKind: { case: kind, value } }: Kind<'constExpr'>): CelValue {
  if (kind === 'nullValue') return null;
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return value;
  if (kind === 'int64Value') return value;
  throw new NotPlanned();
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
