/** How many letters of `a` have to be added, taken away or replaced to make `b` (Levenshtein); infinite for more than `most`. */
function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return Infinity;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    let least = i + 1;
    for (let j = 0; j < b.length; j++) {
      const away = Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (a[i] === b[j] ? 0 : 1));
      next.push(away);
      if (away < least) least = away;
    }
    if (least > most) return Infinity;
    row = next;
  }
  return row[b.length]! > most ? Infinity : row[b.length]!;
}

/** Ends a message about a word that nobody knows: `; did you mean --port?`, or nothing where no known word is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  let nearest: string | undefined;
  let best = Infinity;
  for (const name of known) {
    const near = Math.max(2, Math.floor(name.replace(/^-+/, '').length / 3));
    const away = distance(word, name, Math.min(near, best - 1));
    if (away < best) [nearest, best] = [name, away];
  }
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}
