import type { RawValue } from '../bson/raw.js';
import { decodeValue, decodeDocument } from '../bson/decode.js';
import { isTrue, evaluate } from '../aggregate/mingo.js';

/** Compiles the argument of $expr: the aggregation expression's value, taken as true or false. */
export function compileExpression(expression: RawValue): (buf: Buffer, docOff: number) => boolean {
  const parsed = decodeValue(expression);
  return (buf, docOff) => isTrue(evaluate(decodeDocument(buf, docOff), parsed));
}
