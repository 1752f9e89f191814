/** An expression of HCL, with its text as it stands in the file. */
export type Expression = { readonly text: string } & (
  | { kind: 'literal'; value: string | number | boolean | null }
  /** Text with expressions in it. */
  | { kind: 'template'; parts: (string | Expression)[] }
  | { kind: 'list'; items: Expression[] }
  | { kind: 'object'; entries: { key: Expression; value: Expression }[] }
  | ForExpression
  /** `var` of `var.name`, a resource type, a name that a `for` binds. */
  | { kind: 'name'; name: string }
  | { kind: 'attribute'; of: Expression; name: string }
  | { kind: 'index'; of: Expression; key: Expression }
  /** `of[*].each`: `each` speaks of one element as the name `*`. */
  | { kind: 'splat'; of: Expression; each: Expression }
  /** `spread`: the last argument is a list of arguments. */
  | { kind: 'call'; name: string; args: Expression[]; spread: boolean }
  | { kind: 'unary'; operator: string; of: Expression }
  | { kind: 'binary'; operator: string; left: Expression; right: Expression }
  | { kind: 'conditional'; condition: Expression; yes: Expression; no: Expression }
);

export interface ForExpression {
  kind: 'for';
  /** The names that an element's key, where asked for, and its value get. */
  keyName: string | undefined;
  valueName: string;
  over: Expression;
  /** Of an object: the member's name. */
  key: Expression | undefined;
  value: Expression;
  /** Several values of one key become a list. */
  grouped: boolean;
  condition: Expression | undefined;
}

/** The name under which the expression of a splat speaks of one element. */
export const ELEMENT = '*';

/** A block: `resource "aws_s3_bucket" "logs" { ... }`. */
export interface Block {
  type: string;
  labels: string[];
  attributes: Map<string, Expression>;
  blocks: Block[];
  /** Lines of its first and its last character, from 1. */
  line: number;
  endLine: number;
}

/** A file as it is written. */
export interface HclFile {
  body: Pick<Block, 'attributes' | 'blocks'>;
  /** Where it cannot be read. */
  faults: { line: number; reason: string }[];
}

/** Expressions nested deeper than this are not known, and blocks are refused. A chain of operators takes three levels a term. */
export const MAX_DEPTH = 300;

/** Blocks are nested deeper than `MAX_DEPTH`. */
export class TooDeep extends Error {
  override readonly name = 'TooDeep';
  constructor() {
    super(`it is nested deeper than ${MAX_DEPTH} levels`);
  }
}
