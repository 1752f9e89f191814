/** What the standard fonts of PDF have beside ASCII and Latin-1 (PDF 1.7, annex D: WinAnsiEncoding), in the order of their codes from 128 on. */
export const BEYOND_LATIN = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';
const LATIN = /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u00ff]$/;
const isKnown = (one: string): boolean => LATIN.test(one) || BEYOND_LATIN.includes(one);
const STAND_IN = '?';

/** Text of which nothing is to be replaced: most is. */
const isPlain = (text: string): boolean => !/[^\x20-\x7e]/.test(text);

/**
 * Text as one line that the standard fonts can show: letters lose marks that the fonts lack, and what has no form there is a question mark.
 * @param note told how many characters were replaced
 */
export function shownIn(text: string, note: (replaced: number) => void = () => undefined): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  if (isPlain(line)) return line;
  let replaced = 0;
  const shown = [...line].map((one) => {
    if (isKnown(one)) return one;
    const bare = [...one.normalize('NFKD')].filter(isKnown).join('');
    if (bare === '') replaced += 1;
    return bare === '' ? STAND_IN : bare;
  });
  if (replaced > 0) note(replaced);
  return shown.join('');
}
