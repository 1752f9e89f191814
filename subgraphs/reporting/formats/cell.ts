import { momentOf, type Column } from './format.js';

/** What spreadsheets take for a formula when a text begins with it, full-width twins included (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** A text that no spreadsheet runs: an apostrophe stands before what would be a formula. */
export const harmless = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** A value as a cell's text; empty for what is not there. Numbers and flags are themselves, and need no apostrophe. */
export function cellText(value: unknown, kind: Column['kind']): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string' && kind !== 'date') return harmless(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (kind === 'date') return momentOf(value)?.toISOString() ?? '';
  return harmless(JSON.stringify(value));
}
