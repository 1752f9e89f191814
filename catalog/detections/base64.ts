/** What is left out of an encoding's beginning and end where the text stands at 0, 1 or 2 bytes behind a whole group: it depends on what is around. */
const OFFSETS = [
  [0, 0],
  [1, 2],
  [2, 3],
] as const;

/**
 * A text in Base64 (RFC 4648): alone, or as it stands in the encoding of a longer text, at each of the three offsets.
 * @throws for a text that is too short to be told at an offset
 */
export function encodings(text: string, atOffsets: boolean): string[] {
  const bytes = Buffer.from(text);
  if (!atOffsets) return [bytes.toString('base64')];
  if (bytes.length < 4) throw new Error(`"${text}" is too short for base64offset`);
  return OFFSETS.map(([before, from]) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const rest = (before + bytes.length) % 3;
    const cut = rest === 0 ? 0 : rest === 1 ? 3 : 2;
    return whole.slice(from, whole.length - cut);
  });
}
