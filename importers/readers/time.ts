const EARLIEST = Date.UTC(2000, 0, 1);
const LATEST = Date.UTC(2200, 0, 1);
/** Seconds and milliseconds since 1970 differ in their size. */
const MOST_SECONDS = 1e11;
/** ISO 8601 with any number of digits behind the seconds; what has no zone is UTC, as logs that leave it out mean it. */
const ISO = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,3})\d*)?\s*(Z|UTC|[+-]\d\d:?\d\d)?$/;

/** A time as logs write it; undefined for what is none. */
export function parseTime(value: unknown): Date | undefined {
  const time = typeof value === 'number' ? fromNumber(value) : typeof value === 'string' ? fromText(value.trim()) : NaN;
  return time >= EARLIEST && time < LATEST ? new Date(time) : undefined;
}

const fromNumber = (value: number): number => Math.round(Math.abs(value) < MOST_SECONDS ? value * 1000 : value);

function fromText(text: string): number {
  if (/^\d{9,14}(?:\.\d+)?$/.test(text)) return fromNumber(Number(text));
  const [, day, time, fraction = '', zone = 'Z'] = ISO.exec(text) ?? [];
  if (day === undefined) return NaN;
  return Date.parse(`${day}T${time}.${fraction.padEnd(3, '0')}${zone === 'UTC' ? 'Z' : zone}`);
}
