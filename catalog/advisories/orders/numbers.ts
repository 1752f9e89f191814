/** Compares numbers of any length, written in digits. */
export function compareNumbers(one: string, other: string): number {
  if (one.length < 16 && other.length < 16) return Number(one) - Number(other);
  const [ours, theirs] = [one.replace(/^0+(?=\d)/, ''), other.replace(/^0+(?=\d)/, '')];
  if (ours.length !== theirs.length) return ours.length - theirs.length;
  return ours === theirs ? 0 : ours < theirs ? -1 : 1;
}
