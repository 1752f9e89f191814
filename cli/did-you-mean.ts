/** How many letters of `a` have to be added, taken away or replaced to make `b` (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (letter === b[j] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}

/** Ends a message about a word that nobody knows: `; did you mean --port?`, or nothing where no known word is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  const [nearest] = known
    .map((name) => ({ name, away: distance(word, name) }))
    .filter(({ name, away }) => away <= Math.max(2, Math.floor(name.replace(/^-+/, '').length / 3)))
    .sort((a, b) => a.away - b.away);
  return nearest ? `; did you mean ${nearest.name}?` : '';
}
