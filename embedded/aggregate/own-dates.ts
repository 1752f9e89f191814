// Date arithmetic in whole months, which must end within the month, and week numbers.
import type { Document } from 'bson';
import { evalExpr } from 'mingo/core';
import { $dateAdd, $dateSubtract } from 'mingo/operators/expression';
import { notSupported } from '../errors.js';

type ComputeOptions = Parameters<typeof evalExpr>[2];
type Operator = (obj: unknown, expr: unknown, options: ComputeOptions) => unknown;

const MONTHS: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 };
const DAY_MS = 86_400_000;

interface DateMove {
  readonly startDate?: unknown;
  readonly unit?: string;
  readonly amount?: number;
  readonly timezone?: unknown;
}

/** January 31 plus a month is the last day of February. */
function addMonths(date: Date, months: number): Date {
  const moved = new Date(date);
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  const last = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(date.getUTCDate(), last));
  return moved;
}

function moveBy(sign: 1 | -1, original: unknown): Operator {
  return (obj, expr, options) => {
    const { startDate, unit, amount, timezone } = evalExpr(obj as Document, expr as Document, options) as DateMove;
    if (startDate === null || startDate === undefined || amount === null || amount === undefined) return null;
    const months = MONTHS[unit ?? ''];
    if (months === undefined || !(startDate instanceof Date)) return (original as Operator)(obj, expr, options);
    if (timezone !== undefined) throw notSupported('$dateAdd or $dateSubtract of months in a time zone');
    return addMonths(startDate, sign * amount * months);
  };
}

/** The week of the year, from 0; weeks start on Sunday. */
const week: Operator = (obj, expr, options) => {
  const given = evalExpr(obj as Document, expr as Document, options) as unknown;
  const date: unknown = Array.isArray(given) ? given[0] : given;
  if (date === null || date === undefined) return null;
  if (!(date instanceof Date)) throw notSupported('$week of anything but a date in UTC');
  const dayOfYear = Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / DAY_MS);
  return Math.floor((dayOfYear + 7 - date.getUTCDay()) / 7);
};

/** The date operators that replace mingo's. */
export const ownDates = { $dateAdd: moveBy(1, $dateAdd), $dateSubtract: moveBy(-1, $dateSubtract), $week: week } satisfies Record<
  string,
  Operator
>;
