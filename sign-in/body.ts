import type { z } from 'zod';
import { invalid, type Violation } from '../kit/base/errors.js';

/**
 * A body as its schema has it. Nothing of a value comes back, and of an unknown member only the start of its name.
 * @throws PalisadeError VALIDATION_ERROR with one violation for each mistake
 */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body ?? {});
  if (parsed.success) return parsed.data;
  const violations = parsed.error.issues.flatMap((issue): Violation[] =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.slice(0, 20).map((key) => ({ path: key.slice(0, 64), message: 'This member is not known here' }))
      : [{ path: issue.path.join('.'), message: issue.message }],
  );
  throw invalid(violations, 'The body breaks its schema');
}
