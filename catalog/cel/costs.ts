import { isCelList, isCelMap, type parse } from '@bufbuild/cel';
import { nodesOf, spend } from './budget.js';
import { gatheredBy } from './gathered.js';
import { BlockValue, ListValue, ReadyList, RecordValue } from './value.js';

type Tree = ReturnType<typeof parse>;
type Expr = NonNullable<Tree['expr']>;

/** Functions of the machinery, which no expression can name: they are not words of the language. */
export const TURN = '@turn';
export const MEASURED = '@measured';

/** Steps for each 1,024 characters that a call is given; a value of another kind counts as 8 characters. What is not named costs its node alone. */
const STEPS_PER_KIB: Readonly<Record<string, number>> = {
  '_==_': 256,
  '_!=_': 256,
  '_<_': 32,
  '_<=_': 32,
  '_>_': 32,
  '_>=_': 32,
  '_+_': 64,
  '@in': 256,
  startsWith: 32,
  endsWith: 32,
  contains: 32,
  lower: 64,
  string: 64,
  strings: 256,
  json: 512,
  statements: 512,
  bindings: 512,
  allows_action: 512,
  number: 64,
  int: 64,
  uint: 64,
  double: 64,
  bool: 64,
  duration: 64,
  timestamp: 64,
  is_any_cidr: 128,
  is_public_cidr: 128,
  is_true: 64,
  is_false: 64,
  version_at_least: 512,
  end_of_life: 512,
  days_between: 512,
  holds_credential: 4_096,
};
/** As above, of calls that look at a list's elements alone. */
const SHALLOW_PER_KIB: Readonly<Record<string, number>> = { '_[_]': 32, size: 32 };
/** As above, for each character of the pattern: RE2 walks a text once, with as many states as its pattern has. */
const MATCHES_PER_KIB = 64;

/**
 * Makes a parsed expression count its steps, by what it does and never by the clock: each turn of a macro as many as its body has parts, and each call
 * by the size of what it is given. Changes the tree and gives it back, with the steps that it takes at least.
 * @param factor how much longer a part takes than with our own planner
 */
export function withCosts(tree: Tree, factor: number): { tree: Tree; steps: number } {
  const nodes = [...nodesOf(tree.expr)];
  // gathering an element takes no longer for a longer list
  const gathered = new Set(
    nodes.map(({ exprKind }) => (exprKind.case === 'comprehensionExpr' ? gatheredBy(exprKind.value)?.sum : undefined)),
  );
  const parts = nodes.map(({ exprKind }) => (exprKind.case === 'comprehensionExpr' ? countOf(exprKind.value.loopStep) : 0));
  for (const [i, node] of nodes.entries()) {
    const { exprKind } = node;
    if (exprKind.case === 'comprehensionExpr') {
      const { value } = exprKind;
      // the range is made into values as a whole, whenever the macro ends
      if (value.iterRange !== undefined) value.iterRange = measured(value.iterRange, 32, true);
      if (value.loopCondition !== undefined)
        value.loopCondition = call('_&&_', [call(TURN, [number((parts[i]! + 2) * factor)]), value.loopCondition]);
    } else if (exprKind.case === 'callExpr' && !gathered.has(node)) {
      const { value } = exprKind;
      const { function: name } = value;
      const deep = name === 'matches' ? MATCHES_PER_KIB * patternLength(value.args.at(-1)) : STEPS_PER_KIB[name];
      const perKib = deep ?? SHALLOW_PER_KIB[name];
      if (perKib === undefined) continue;
      if (value.target !== undefined) value.target = measured(value.target, perKib, deep === undefined);
      value.args = value.args.map((argument) => measured(argument, perKib, deep === undefined));
    }
  }
  return { tree, steps: nodes.length * factor };
}

/** Counts a turn of a macro. @throws TooCostly */
export function turn(steps: unknown): boolean {
  spend(Number(steps));
  return true;
}

/** Counts the size of a value, and gives it back. @param shallow by its elements alone. @throws TooCostly */
export function measure<T>(value: T, perKib: number, shallow: boolean): T {
  spend(Math.ceil((sizeOf(value, shallow) * perKib) / 1_024));
  return value;
}

/** Enough for any budget: what is larger need not be counted to its end. */
const MAX_SIZE = 2 ** 28;
const ATOM = 8;

/** Characters in a value, and 8 for each value that is none. */
function sizeOf(value: unknown, shallow: boolean): number {
  let size = 0;
  const pending: unknown[] = [value];
  const add = (items: Iterable<unknown>): void => {
    for (const item of items) pending.push(shallow ? null : item);
  };
  while (pending.length > 0 && size < MAX_SIZE) {
    const next = pending.pop();
    size += ATOM;
    if (typeof next === 'string') size += next.length;
    else if (typeof next !== 'object' || next === null || next instanceof Error) continue;
    else if (next instanceof ReadyList) add(next);
    else if (next instanceof ListValue || next instanceof BlockValue || next instanceof RecordValue) {
      if (shallow) size += ATOM * (Array.isArray(next.source) ? next.source.length : Object.keys(next.source as object).length);
      else pending.push(next.source);
    } else if (Array.isArray(next)) add(next as unknown[]);
    else if (next instanceof Uint8Array) size += next.length;
    else if (isCelList(next)) add(next);
    else if (isCelMap(next)) {
      add(next.keys());
      add(next.values());
    } else {
      for (const [key, member] of Object.entries(next)) {
        size += key.length;
        pending.push(member);
      }
    }
  }
  return size;
}

const countOf = (expr: Expr | undefined): number => [...nodesOf(expr)].length;

function patternLength(expr: Expr | undefined): number {
  const kind = expr?.exprKind;
  return kind?.case === 'constExpr' && kind.value.constantKind.case === 'stringValue' ? kind.value.constantKind.value.length : 1_000;
}

/** What is written out is as small as the expression. */
const isWrittenOut = ({ exprKind }: Expr): boolean =>
  exprKind.case === 'constExpr' || (exprKind.case === 'listExpr' && exprKind.value.elements.every(isWrittenOut));

const measured = (expr: Expr, perKib: number, shallow = false): Expr =>
  isWrittenOut(expr) ? expr : call(MEASURED, [expr, number(perKib), number(shallow ? 1 : 0)]);

const number = (value: number): Expr =>
  ({
    $typeName: 'cel.expr.Expr',
    id: 0n,
    exprKind: {
      case: 'constExpr',
      value: { $typeName: 'cel.expr.Constant', constantKind: { case: 'int64Value', value: BigInt(value) } },
    },
  }) as Expr;

const call = (name: string, args: Expr[]): Expr =>
  ({
    $typeName: 'cel.expr.Expr',
    id: 0n,
    exprKind: { case: 'callExpr', value: { $typeName: 'cel.expr.Expr.Call', function: name, args } },
  }) as unknown as Expr;
