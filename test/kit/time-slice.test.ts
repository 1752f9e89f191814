import { setImmediate as turn } from 'node:timers/promises';
import { createTimeSlice, SLICE_MS } from '../../kit/base/time-slice.js';

/** A clock that goes on by a millisecond whenever it is read. */
function ticking(): () => number {
  let now = 0;
  return () => ++now;
}

it('work goes on within its slice, and lets others take their turn after it', async () => {
  const slice = createTimeSlice(ticking());
  const pieces: number[] = [];
  let piece = 0;
  for (let n = 0; n < 95; n++) {
    piece += 1;
    const pause = slice();
    if (pause === undefined) continue;
    pieces.push(piece);
    piece = 0;
    await pause;
  }
  expect(pieces).toEqual(Array.from({ length: 9 }, () => SLICE_MS));
});

it('pieces of several works never share a turn of the event loop', async () => {
  const turns: string[][] = [[]];
  const work = async (name: string): Promise<void> => {
    const slice = createTimeSlice(ticking());
    for (let n = 0; n < 3 * SLICE_MS; n++) {
      const pause = slice();
      if (pause === undefined) continue;
      await pause;
      turns.at(-1)!.push(name);
    }
  };
  let done = false;
  const works = Promise.all(['a', 'b', 'c', 'd'].map(work)).then(() => (done = true));
  while (!done) {
    await turn();
    turns.push([]);
  }
  await works;
  expect(turns.flat()).toHaveLength(12);
  expect(Math.max(...turns.map((names) => names.length))).toBe(1);
  // nobody is left waiting while another has two turns
  expect(turns.flat().join('')).toBe('abcdabcdabcd');
});
