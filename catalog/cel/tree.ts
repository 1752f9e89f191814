import type { parse } from '@bufbuild/cel';

export type Expr = NonNullable<ReturnType<typeof parse>['expr']>;
type Kind = Expr['exprKind'];
type Constant = Extract<Kind, { case: 'constExpr' }>['value']['constantKind'];

/**
 * A parsed expression as JSON. A text is a name; null, booleans and numbers are themselves; what else there is begins with what it is, and where a call has no
 * target, there is an empty text.
 */
export type Written =
  | string
  | number
  | boolean
  | null
  | ['text', string]
  | ['int', string]
  | ['select', Written, string]
  | ['has', Written, string]
  | ['list', ...Written[]]
  | ['call', string, Written, ...Written[]]
  | ['macro', string, Written, string, Written, Written, Written, Written];

/** The expression uses what has no written form here: messages, maps, bytes, numbers without a sign. */
class NotWritten extends Error {}

/** An expression as JSON; undefined where it uses what has no form in it. */
export function writeTree(expr: Expr): Written | undefined {
  try {
    return written(expr);
  } catch (error) {
    if (error instanceof NotWritten) return undefined;
    throw error;
  }
}

function written(expr: Expr | undefined): Written {
  const kind = expr?.exprKind;
  switch (kind?.case) {
    case 'constExpr':
      return writtenConstant(kind.value.constantKind);
    case 'identExpr':
      return kind.value.name;
    case 'selectExpr':
      return [kind.value.testOnly ? 'has' : 'select', written(kind.value.operand), kind.value.field];
    case 'listExpr':
      if (kind.value.optionalIndices.length > 0) throw new NotWritten();
      return ['list', ...kind.value.elements.map(written)];
    case 'callExpr': {
      const { function: name, target, args } = kind.value;
      return ['call', name, target === undefined ? '' : written(target), ...args.map(written)];
    }
    case 'comprehensionExpr': {
      const { iterVar, iterVar2, iterRange, accuVar, accuInit, loopCondition, loopStep, result } = kind.value;
      if (iterVar2 !== '') throw new NotWritten();
      return ['macro', iterVar, written(iterRange), accuVar, written(accuInit), written(loopCondition), written(loopStep), written(result)];
    }
    default:
      throw new NotWritten();
  }
}

function writtenConstant({ case: kind, value }: Constant): Written {
  switch (kind) {
    case 'stringValue':
      return ['text', value];
    case 'int64Value':
      return ['int', String(value)];
    case 'boolValue':
      return value;
    case 'nullValue':
      return null;
    case 'doubleValue':
      return finite(value);
    default:
      throw new NotWritten();
  }
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new NotWritten();
  return value;
}

/** The expression that `writeTree` wrote, without the numbers of its nodes. */
export function readTree(from: Written): Expr {
  return { $typeName: 'cel.expr.Expr', id: 0n, exprKind: kindOf(from) };
}

function kindOf(from: Written): Kind {
  if (typeof from === 'string') return { case: 'identExpr', value: { $typeName: 'cel.expr.Expr.Ident', name: from } };
  if (!Array.isArray(from)) return constant(constantOf(from));
  switch (from[0]) {
    case 'text':
      return constant({ case: 'stringValue', value: from[1] });
    case 'int':
      return constant({ case: 'int64Value', value: BigInt(from[1]) });
    case 'has':
    case 'select': {
      const [kind, operand, field] = from;
      return {
        case: 'selectExpr',
        value: { $typeName: 'cel.expr.Expr.Select', operand: readTree(operand), field, testOnly: kind === 'has' },
      };
    }
    case 'list': {
      const [, ...elements] = from;
      return { case: 'listExpr', value: { $typeName: 'cel.expr.Expr.CreateList', elements: elements.map(readTree), optionalIndices: [] } };
    }
    case 'call': {
      const [, name, target, ...args] = from;
      return {
        case: 'callExpr',
        value: {
          $typeName: 'cel.expr.Expr.Call',
          function: name,
          ...(target !== '' && { target: readTree(target) }),
          args: args.map(readTree),
        },
      };
    }
    case 'macro': {
      const [, iterVar, range, accuVar, init, condition, step, result] = from;
      return {
        case: 'comprehensionExpr',
        value: {
          $typeName: 'cel.expr.Expr.Comprehension',
          iterVar,
          iterVar2: '',
          iterRange: readTree(range),
          accuVar,
          accuInit: readTree(init),
          loopCondition: readTree(condition),
          loopStep: readTree(step),
          result: readTree(result),
        },
      };
    }
  }
}

const constantOf = (value: number | boolean | null): Constant =>
  value === null
    ? { case: 'nullValue', value: 0 }
    : typeof value === 'boolean'
      ? { case: 'boolValue', value }
      : { case: 'doubleValue', value };

const constant = (constantKind: Constant): Kind => ({ case: 'constExpr', value: { $typeName: 'cel.expr.Constant', constantKind } });
