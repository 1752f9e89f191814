import { z } from 'zod';

/** What the schemas of reports' contents are made of. */

export const nonEmpty = z.string().min(1);
/** An object of the report's own, which nobody looks into. */
export const content = z.custom<Record<string, unknown>>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
  error: 'expected an object',
});
