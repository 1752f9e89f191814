import { parse } from '@bufbuild/cel';
import { nodesOf } from './budget.js';
import { FUNCTION_SIGNATURES } from './environment.js';
import { isPattern } from './pattern.js';

type Tree = ReturnType<typeof parse>;
type Expr = NonNullable<Tree['expr']>;
/** Types as far as they are known before a resource is; `dyn` is anything. */
type Type = 'bool' | 'number' | 'string' | 'bytes' | 'list' | 'map' | 'null' | 'time' | 'type' | 'dyn';

/** What is wrong with an expression, and where: line and column from 1. */
export interface ExpressionFault {
  message: string;
  line: number;
  column: number;
}

const MAX_NODES = 500;
/** Macros within macros. */
const MAX_NESTING = 3;
const MAX_PATTERN = 200;
/** What a repetition in a pattern may be multiplied to. */
const MAX_REPEAT = 1_000;

const ASSET_FIELDS = new Set(['type', 'name', 'provider', 'region', 'account_id', 'tags']);
const TYPE_NAMES = new Set(['bool', 'int', 'uint', 'double', 'string', 'bytes', 'list', 'map', 'null_type', 'type']);
const CONSTANTS: Readonly<Record<string, Type>> = {
  boolValue: 'bool',
  int64Value: 'number',
  uint64Value: 'number',
  doubleValue: 'number',
  stringValue: 'string',
  bytesValue: 'bytes',
  nullValue: 'null',
};
/** CEL's own functions: the types of the arguments, and of the result. */
const GLOBALS: Readonly<Record<string, { arguments: Type[]; result: Type }>> = {
  size: { arguments: ['dyn'], result: 'number' },
  int: { arguments: ['dyn'], result: 'number' },
  uint: { arguments: ['dyn'], result: 'number' },
  double: { arguments: ['dyn'], result: 'number' },
  string: { arguments: ['dyn'], result: 'string' },
  bool: { arguments: ['dyn'], result: 'bool' },
  dyn: { arguments: ['dyn'], result: 'dyn' },
  type: { arguments: ['dyn'], result: 'type' },
  duration: { arguments: ['string'], result: 'time' },
  timestamp: { arguments: ['string'], result: 'time' },
  matches: { arguments: ['string', 'string'], result: 'bool' },
};
const METHODS: Readonly<Record<string, { target: Type; arguments: Type[]; result: Type }>> = {
  startsWith: { target: 'string', arguments: ['string'], result: 'bool' },
  endsWith: { target: 'string', arguments: ['string'], result: 'bool' },
  contains: { target: 'string', arguments: ['string'], result: 'bool' },
  matches: { target: 'string', arguments: ['string'], result: 'bool' },
  size: { target: 'dyn', arguments: [], result: 'number' },
};

/**
 * Checks an expression over `r` and `asset` before any resource is known (CEL language definition, "Gradual Type Checking").
 * @returns what is wrong: syntax, unknown names, types that cannot fit, more cost than a rule may have; none when it may be used
 */
export function checkExpression(expression: string): ExpressionFault[] {
  let tree: Tree;
  try {
    tree = parse(expression);
  } catch (error) {
    const { location, message } = error as Error & { location?: { start: { line: number; column: number } } };
    const { line, column } = location?.start ?? { line: 1, column: 1 };
    return [{ message: message.replace(/^<input>:\d+:\d+:\s*/, ''), line, column }];
  }
  const checker = new Checker(expression, tree);
  checker.checkSize();
  if (checker.faults.length > 0) return checker.faults;
  const type = checker.typeOf(tree.expr, new Map());
  if (checker.faults.length === 0 && type !== 'bool')
    checker.fault(
      tree.expr,
      type === 'dyn'
        ? 'the expression must give a boolean: compare the value, or use is_true()'
        : `the expression must give a boolean, not ${type}`,
    );
  return checker.faults;
}

class Checker {
  readonly faults: ExpressionFault[] = [];

  constructor(
    private readonly text: string,
    private readonly tree: Tree,
  ) {}

  fault(node: Expr | undefined, message: string): 'dyn' {
    const offset = Number(this.tree.sourceInfo?.positions[String(node?.id ?? '')] ?? 0);
    const before = this.text.slice(0, offset).split('\n');
    this.faults.push({ message, line: before.length, column: before.at(-1)!.length + 1 });
    return 'dyn';
  }

  checkSize(): void {
    let count = 0;
    for (const _ of nodesOf(this.tree.expr)) count += 1;
    if (count > MAX_NODES) this.fault(this.tree.expr, `the expression is too costly: ${count} parts, at most ${MAX_NODES} are allowed`);
  }

  typeOf(node: Expr | undefined, scope: ReadonlyMap<string, Type>, nesting = 0): Type {
    const kind = node?.exprKind;
    switch (kind?.case) {
      case 'constExpr':
        return CONSTANTS[kind.value.constantKind.case ?? ''] ?? 'dyn';
      case 'identExpr':
        return this.ident(node, kind.value.name, scope);
      case 'selectExpr':
        return this.select(node, kind.value, scope, nesting);
      case 'listExpr':
        for (const element of kind.value.elements) this.typeOf(element, scope, nesting);
        return 'list';
      case 'structExpr':
        if (kind.value.messageName !== '') return this.fault(node, `there is no message type ${kind.value.messageName}`);
        for (const entry of kind.value.entries) {
          if (entry.keyKind.case === 'mapKey') this.typeOf(entry.keyKind.value, scope, nesting);
          this.typeOf(entry.value, scope, nesting);
        }
        return 'map';
      case 'comprehensionExpr':
        return this.comprehension(node, kind.value, scope, nesting + 1);
      case 'callExpr':
        return this.call(node, kind.value, scope, nesting);
      default:
        return this.fault(node, 'the expression is not understood');
    }
  }

  private ident(node: Expr | undefined, name: string, scope: ReadonlyMap<string, Type>): Type {
    const known = scope.get(name);
    if (known !== undefined) return known;
    if (name === 'r' || name === 'asset') return 'map';
    if (TYPE_NAMES.has(name)) return 'type';
    return this.fault(node, `there is no variable ${name}: \`r\` is the configuration, \`asset\` the resource`);
  }

  private select(
    node: Expr | undefined,
    value: { operand?: Expr | undefined; field: string; testOnly: boolean },
    scope: ReadonlyMap<string, Type>,
    nesting: number,
  ): Type {
    const operand = value.operand?.exprKind;
    const type = this.typeOf(value.operand, scope, nesting);
    if (type !== 'map' && type !== 'dyn') return this.fault(node, `a ${type} has no field ${value.field}`);
    if (operand?.case === 'identExpr' && operand.value.name === 'asset' && !scope.has('asset')) {
      if (!ASSET_FIELDS.has(value.field))
        return this.fault(node, `asset has no field ${value.field}: it has ${[...ASSET_FIELDS].join(', ')}`);
      if (!value.testOnly) return value.field === 'tags' ? 'map' : 'string';
    }
    return value.testOnly ? 'bool' : 'dyn';
  }

  private comprehension(
    node: Expr | undefined,
    value: {
      iterVar: string;
      iterRange?: Expr | undefined;
      accuVar: string;
      accuInit?: Expr | undefined;
      loopCondition?: Expr | undefined;
      loopStep?: Expr | undefined;
      result?: Expr | undefined;
    },
    scope: ReadonlyMap<string, Type>,
    nesting: number,
  ): Type {
    if (nesting > MAX_NESTING) return this.fault(node, `the expression is too costly: macros may be nested ${MAX_NESTING} deep`);
    const range = this.typeOf(value.iterRange, scope, nesting);
    if (!['list', 'map', 'dyn'].includes(range)) return this.fault(node, `a ${range} cannot be gone through`);
    const accumulator = this.typeOf(value.accuInit, scope, nesting);
    const inner = new Map(scope).set(value.iterVar, 'dyn').set(value.accuVar, accumulator);
    this.typeOf(value.loopCondition, inner, nesting);
    const step = this.typeOf(value.loopStep, inner, nesting);
    if (!fits(step, accumulator)) return this.fault(node, `the macro needs a condition that is a ${accumulator}`);
    return this.typeOf(value.result, inner, nesting);
  }

  private call(
    node: Expr | undefined,
    value: { function: string; target?: Expr | undefined; args: Expr[] },
    scope: ReadonlyMap<string, Type>,
    nesting: number,
  ): Type {
    const types = value.args.map((argument) => this.typeOf(argument, scope, nesting));
    const name = value.function;
    if (value.target === undefined) {
      const operator = this.operator(node, name, types);
      if (operator !== undefined) return operator;
      const own = Object.hasOwn(FUNCTION_SIGNATURES, name) ? FUNCTION_SIGNATURES[name] : undefined;
      const signature = own ?? (Object.hasOwn(GLOBALS, name) ? GLOBALS[name] : undefined);
      if (signature === undefined) return this.fault(node, `there is no function ${name}`);
      if (name === 'matches') this.checkPattern(value.args[1]);
      this.checkArguments(node, name, types, signature.arguments.map((type) => (type === 'int' ? 'number' : type)) as Type[]);
      return signature.result as Type;
    }
    const target = this.typeOf(value.target, scope, nesting);
    const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
    if (method === undefined) return this.fault(node, `there is no method ${name}`);
    if (!fits(target, method.target)) return this.fault(node, `${name}() is a method of ${method.target}, not of ${target}`);
    if (name === 'matches') this.checkPattern(value.args[0]);
    this.checkArguments(node, name, types, method.arguments);
    return method.result;
  }

  private checkArguments(node: Expr | undefined, name: string, given: Type[], wanted: Type[]): void {
    if (given.length !== wanted.length) {
      this.fault(node, `${name}() takes ${wanted.length} arguments, not ${given.length}`);
      return;
    }
    for (const [i, type] of given.entries())
      if (!fits(type, wanted[i]!)) this.fault(node, `argument ${i + 1} of ${name}() must be a ${wanted[i]!}, not a ${type}`);
  }

  /** A pattern is written out, so that its cost is known before it runs (RE2 syntax). */
  private checkPattern(node: Expr | undefined): void {
    const kind = node?.exprKind;
    if (kind?.case !== 'constExpr' || kind.value.constantKind.case !== 'stringValue') {
      this.fault(node, 'the pattern of matches() must be a text that is written out');
      return;
    }
    const pattern = kind.value.constantKind.value;
    const repeated = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].reduce(
      (product, [, least, most]) => product * Math.max(Number(most || least), 1),
      1,
    );
    if (pattern.length > MAX_PATTERN || repeated > MAX_REPEAT)
      this.fault(node, 'the expression is too costly: its pattern is too long or repeats too often');
    else if (!isPattern(pattern)) this.fault(node, 'the pattern of matches() is not RE2 syntax');
  }

  private operator(node: Expr | undefined, name: string, types: Type[]): Type | undefined {
    const [first = 'dyn', second = 'dyn', third = 'dyn'] = types;
    const both = (...wanted: Type[]): boolean =>
      [first, second].every((type) => type === 'dyn' || wanted.includes(type)) && fits(first, second);
    const unfit = (sign: string): 'dyn' => this.fault(node, `${sign} cannot be applied to ${types.join(' and ')}`);
    switch (name) {
      case '_&&_':
      case '_||_':
        return types.every((type) => fits(type, 'bool')) ? 'bool' : (unfit(name.slice(1, -1)), 'bool');
      case '!_':
        return fits(first, 'bool') ? 'bool' : unfit('!');
      case '@not_strictly_false':
        return 'bool';
      case '_==_':
      case '_!=_':
        return fits(first, second) || first === 'null' || second === 'null' ? 'bool' : (unfit(name.slice(1, -1)), 'bool');
      case '_<_':
      case '_<=_':
      case '_>_':
      case '_>=_':
        return both('number', 'string', 'bool', 'bytes', 'time') ? 'bool' : unfit(name.slice(1, -1));
      case '_+_':
        return both('number', 'string', 'list', 'bytes', 'time') ? (first === 'dyn' ? second : first) : unfit('+');
      case '_-_':
      case '_*_':
      case '_/_':
      case '_%_':
        return both('number', 'time') ? 'number' : unfit(name.slice(1, -1));
      case '-_':
        return fits(first, 'number') ? 'number' : unfit('-');
      case '@in':
      case '_in_':
        return ['list', 'map', 'dyn'].includes(second) ? 'bool' : unfit('in');
      case '_[_]':
        return ['list', 'map', 'dyn'].includes(first) ? 'dyn' : unfit('[]');
      case '_?_:_':
        if (!fits(first, 'bool')) return unfit('?:');
        return second === third ? second : 'dyn';
      default:
        return undefined;
    }
  }
}

const fits = (type: Type, wanted: Type): boolean => type === wanted || type === 'dyn' || wanted === 'dyn';
