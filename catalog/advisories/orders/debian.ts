import { compareNumbers } from './numbers.js';

/** `[epoch:]upstream[-revision]`, as Debian's policy has it (section 5.6.12). */
const VERSION = /^\s*(?:(\d+):)?([^\s]+?)(?:-([^\s-]*))?\s*$/;

/** Letters before all else, and `~` before even the end. */
const weightOf = (character: string | undefined): number => {
  if (character === undefined) return 0;
  if (character === '~') return -1;
  return /[A-Za-z]/.test(character) ? character.charCodeAt(0) : character.charCodeAt(0) + 256;
};

/** Compares in turns what is no digit, letter by letter, and what are digits, as a number. */
function compareParts(one: string, other: string): number {
  let [a, b] = [0, 0];
  while (a < one.length || b < other.length) {
    for (;;) {
      const isOver = (text: string, at: number) => at >= text.length || /\d/.test(text[at]!);
      if (isOver(one, a) && isOver(other, b)) break;
      const by = weightOf(isOver(one, a) ? undefined : one[a]) - weightOf(isOver(other, b) ? undefined : other[b]);
      if (by !== 0) return by;
      a++;
      b++;
    }
    const [ours, theirs] = [/^\d*/.exec(one.slice(a))![0], /^\d*/.exec(other.slice(b))![0]];
    const by = compareNumbers(ours || '0', theirs || '0');
    if (by !== 0) return by;
    a += ours.length;
    b += theirs.length;
  }
  return 0;
}

/** The order of dpkg, by which Debian and Ubuntu go. */
export function compareDebian(one: string, other: string): number | null {
  const [ours, theirs] = [VERSION.exec(one), VERSION.exec(other)];
  if (!ours || !theirs) return null;
  return (
    compareNumbers(ours[1] ?? '0', theirs[1] ?? '0') ||
    compareParts(ours[2]!, theirs[2]!) ||
    // no revision is that of 0
    compareParts(ours[3] ?? '0', theirs[3] ?? '0')
  );
}
