import type { CelValue, parse } from '@bufbuild/cel';
import type { Value } from './step.js';
import { ListValue } from './value.js';

type Expr = NonNullable<ReturnType<typeof parse>['expr']>;

/** Answers of an environment's own functions for arguments of the types that they are for; undefined leaves the call to the environment. */
export type Shortcuts = Readonly<Record<string, (...args: CelValue[]) => Value | undefined>>;
/** Compiles a pattern of `matches` once. */
export type PatternCompiler = (pattern: string) => { test(text: string): boolean };

/** What an environment brings beside CEL's own functions. */
export interface Environment {
  readonly shortcuts: Shortcuts;
  readonly compilePattern: PatternCompiler;
}

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

/** The answer of a call for the common types of arguments; undefined for others. */
export function quickCall(
  name: string,
  isFunction: boolean,
  args: Expr[],
  { shortcuts, compilePattern }: Environment,
): ((...values: CelValue[]) => Value | undefined) | undefined {
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
      return (text) => (typeof text === 'string' ? (matcher ??= compilePattern(pattern)).test(text) : undefined);
    }
  }
  const method = isFunction ? undefined : TEXT_METHODS[name];
  if (method !== undefined) return (a, b) => (typeof a === 'string' && typeof b === 'string' ? method(a, b) : undefined);
  return isFunction ? shortcuts[name] : undefined;
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
