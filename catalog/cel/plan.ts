import { celError, isCelList, isCelMap, type CelEnv, type CelError, type CelInput, type CelValue, type parse } from '@bufbuild/cel';
import { ListValue } from './value.js';

type Expr = NonNullable<ReturnType<typeof parse>['expr']>;
type Kind<C extends Expr['exprKind']['case']> = Extract<Expr['exprKind'], { case: C }> extends { value: infer V } ? V : never;
type Value = CelValue | CelError;
/** Values of the variables, by the place that planning gave them. */
type Frame = Value[];
type Step = (frame: Frame) => Value;

/** Answers of an environment's own functions for arguments of the types that they are for; undefined leaves the call to the environment. */
export type Shortcuts = Readonly<Record<string, (...args: CelValue[]) => CelValue | undefined>>;
/** Compiles a pattern of `matches` once. */
export type PatternCompiler = (pattern: string) => { test(text: string): boolean };

/** The expression uses what this planner does not know. */
class NotPlanned extends Error {}

/**
 * Plans a parsed expression like `plan` of `@bufbuild/cel`, with the same results and messages, for expressions over `r` and `asset`: it
 * finds variables when it plans instead of by name at every read, and answers operators for the common types without a search for their
 * overload. Every other call goes to the environment's functions.
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
const isBlank = (value: unknown): value is undefined | null => value === undefined || value === null;

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
        return this.call('list', undefined, kind.value.elements, (values) => values as unknown as CelValue);
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
        return isError(value) ? value : isCelMap(value) && value.has(field);
      };
    }
    return (frame) => {
      const value = of(frame);
      if (isError(value)) return value;
      return (isCelMap(value) ? (value.get(field) as Value | undefined) : undefined) ?? celError(`field not found: ${field}`);
    };
  }
}
