/** Months in UTC, written `2026-01`: they sort as text. */

export const monthOf = (date: Date): string => date.toISOString().slice(0, 7);

export const startOfMonth = (month: string): Date => new Date(`${month}-01T00:00:00.000Z`);

export function nextMonth(month: string): string {
  const date = startOfMonth(month);
  date.setUTCMonth(date.getUTCMonth() + 1);
  return monthOf(date);
}
