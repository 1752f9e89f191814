import { compareNumbers } from './numbers.js';

/** Qualifiers with an order of their own, those of a release in the middle; unknown ones come behind all, by the alphabet. */
const QUALIFIERS = ['alpha', 'beta', 'milestone', 'rc', 'snapshot', '', 'sp'];
const ALIASES: Readonly<Record<string, string>> = { ga: '', final: '', release: '', cr: 'rc' };
const SHORT: Readonly<Record<string, string>> = { a: 'alpha', b: 'beta', m: 'milestone' };

interface Token {
  /** What parts it from the one before: a number behind a hyphen is below one behind a dot. */
  readonly separator: '.' | '-';
  readonly text: string;
  readonly isNumber: boolean;
}

const isNull = ({ text, isNumber }: Token): boolean => (isNumber ? /^0*$/.test(text) : text === '');

function qualifierOf(text: string, isBeforeNumber: boolean): string {
  const short = isBeforeNumber ? SHORT[text] : undefined;
  return short ?? ALIASES[text] ?? text;
}

/** A version's parts (Maven, "Version Order Specification"): between letters and digits there is a hyphen; parts that say nothing at an end go. */
function tokensOf(version: string): Token[] {
  const tokens: Token[] = [];
  let separator: Token['separator'] = '-';
  for (const found of version.toLowerCase().matchAll(/([.-])|(\d+)|([^.\-\d]+)/g)) {
    const [whole, mark, digits] = found;
    if (mark) {
      const before = version[found.index - 1];
      // an empty part is a 0
      if (before === undefined || before === '.' || before === '-') tokens.push({ separator, text: '0', isNumber: true });
      separator = mark as Token['separator'];
      continue;
    }
    const isBeforeNumber = /\d/.test(version[found.index + whole.length] ?? '');
    tokens.push({ separator, text: digits ?? qualifierOf(whole, isBeforeNumber), isNumber: digits !== undefined });
    separator = '-';
  }
  return trimmed(tokens);
}

/** Without what says nothing before a hyphen and at the end. */
function trimmed(tokens: readonly Token[]): Token[] {
  const kept: Token[] = [];
  for (const token of tokens) {
    if (token.separator === '-') while (kept.length > 0 && isNull(kept.at(-1)!)) kept.pop();
    kept.push(token);
  }
  while (kept.length > 0 && isNull(kept.at(-1)!)) kept.pop();
  return kept;
}

const padding = (like: Token): Token => ({ separator: like.separator, text: like.isNumber ? '0' : '', isNumber: like.isNumber });

/** `.qualifier` = `-qualifier` < `-number` < `.number`. */
const kindOf = ({ separator, isNumber }: Token): number => (!isNumber ? 0 : separator === '-' ? 1 : 2);

function rankOf(qualifier: string): number {
  const known = QUALIFIERS.indexOf(qualifier);
  return known < 0 ? QUALIFIERS.length : known;
}

function compareTokens(one: Token, other: Token): number {
  const [kind, otherKind] = [kindOf(one), kindOf(other)];
  if (kind !== otherKind) return kind - otherKind;
  if (one.isNumber) return compareNumbers(one.text, other.text);
  const by = rankOf(one.text) - rankOf(other.text);
  if (by !== 0 || one.text === other.text) return by;
  return one.text < other.text ? -1 : 1;
}

/** The order of Maven's versions. */
export function compareMaven(one: string, other: string): number | null {
  const [ours, theirs] = [tokensOf(one), tokensOf(other)];
  for (let n = 0; n < Math.max(ours.length, theirs.length); n++) {
    const [a, b] = [ours[n], theirs[n]];
    const by = compareTokens(a ?? padding(b!), b ?? padding(a!));
    if (by !== 0) return by;
  }
  return 0;
}
