const NUMBER = new Intl.NumberFormat('en');
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** 12345 as `12,345`; a dash for what is not known. */
export const countText = (count: number | null | undefined): string => (count === null || count === undefined ? '–' : NUMBER.format(count));

/** An amount as people say it: `USD 15.2M`. */
export const moneyText = (amount: number | null | undefined, currency: string): string =>
  amount === null || amount === undefined ? '–' : `${currency} ${SHORT.format(amount)}`;

/** A share of 1 as a percentage. */
export const percentText = (share: number | null | undefined): string =>
  share === null || share === undefined ? '–' : `${share > 0 && share < 0.01 ? '<1' : Math.round(share * 100)} %`;

/** A noun with its number: `1 finding`, `12 findings`. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${NUMBER.format(count)} ${count === 1 ? noun : plural}`;

/** Ids and paths are told apart by both ends: what is too long loses its middle. */
export function truncateMiddle(text: string, most: number): string {
  const letters = Array.from(text);
  if (letters.length <= most) return text;
  const head = Math.ceil((most - 1) / 2);
  return `${letters.slice(0, head).join('')}…${letters.slice(letters.length - (most - 1 - head)).join('')}`;
}

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** How long ago, in the largest unit that fits: `3 days ago`, `in 2 hours`. */
export function agoText(time: string, now = Date.now()): string {
  const seconds = Math.round((now - Date.parse(time)) / 1_000);
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  if (unit === 'second') return Math.abs(seconds) < 10 ? 'just now' : seconds > 0 ? `${seconds} s ago` : `in ${-seconds} s`;
  const count = counted(Math.floor(Math.abs(seconds) / size), unit);
  return seconds > 0 ? `${count} ago` : `in ${count}`;
}

const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** Date and time to the second, by the reader's clock: `27 Nov 2026, 18:42:07`. */
export const exactText = (time: string): string => EXACT.format(new Date(time));

/** A status, a state or a kind as a word: `IN_PROGRESS` as `In progress`. */
export function wordOf(code: string): string {
  const text = code.replaceAll('_', ' ').toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The start of a day some days ago, in UTC: addresses with it stay the same all day, and mean the same to a colleague. */
export function daysAgo(days: number, now = Date.now()): string {
  const date = new Date(now - days * 86_400_000);
  return `${date.toISOString().slice(0, 10)}T00:00:00.000Z`;
}

/** An id that says what it is: of letters, digits and the dashes between, and the time so that it is a new one. */
export const idFrom = (name: string, now = Date.now()): string =>
  `${name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 80)}-${now.toString(36)}`;

/** Whether an address may be a link: only pages of the web are. */
export function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:');
}
