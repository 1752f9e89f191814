import type { Document } from 'bson';
import type { RawValue } from '../bson/raw.js';
import { decodeValue, decodeDocument } from '../bson/decode.js';
import { evaluate } from '../aggregate/expression-engine.js';
import { assertExpression } from '../aggregate/validate.js';
import { isTrue } from '../aggregate/values.js';

/** Compiles the argument of $expr: the aggregation expression's value, taken as true or false. */
export function compileExpression(expression: RawValue, variables?: Document): (buf: Buffer, docOff: number) => boolean {
  const parsed = decodeValue(expression);
  assertExpression(parsed);
  return (buf, docOff) => isTrue(evaluate(decodeDocument(buf, docOff), parsed, variables));
}
