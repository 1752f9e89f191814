/**
 * How many rows of each list stand among the first `count` where lists take turns: one row of each that has any left, again and again.
 * @param totals rows of each list
 */
export function takenInTurns(totals: readonly number[], count: number): number[] {
  const taken = totals.map(() => 0);
  let left = Math.min(
    count,
    totals.reduce((sum, total) => sum + total, 0),
  );
  while (left > 0) {
    const open = totals.flatMap((total, n) => (total > taken[n]! ? [n] : []));
    // as many whole rounds as the shortest of them, and the rows that are asked for, allow
    const rounds = Math.min(Math.floor(left / open.length), ...open.map((n) => totals[n]! - taken[n]!));
    const step = Math.max(rounds, 1);
    for (const n of rounds > 0 ? open : open.slice(0, left)) taken[n]! += step;
    left -= step * (rounds > 0 ? open.length : Math.min(left, open.length));
  }
  return taken;
}
