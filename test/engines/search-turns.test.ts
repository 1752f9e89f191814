import { random } from '../contract/list-model.js';
import { takenInTurns } from '../../subgraphs/findings/search/turns.js';

it('takes one row of each list that has any left, again and again', () => {
  const next = random(5);
  for (let n = 0; n < 500; n++) {
    const totals = Array.from({ length: 1 + Math.floor(5 * next()) }, () => Math.floor(next() * 12));
    const taken = totals.map(() => 0);
    for (let count = 0, list = 0; ; list = (list + 1) % totals.length) {
      if (taken.every((one, each) => one === totals[each])) {
        expect({ totals, taken: takenInTurns(totals, count + 7) }).toEqual({ totals, taken });
        break;
      }
      if (taken[list] === totals[list]) continue;
      expect({ totals, count, taken: takenInTurns(totals, count) }).toEqual({ totals, count, taken });
      taken[list]!++;
      count++;
    }
  }
  expect(takenInTurns([2_000_000_000, 5], 1_000_000_000)).toEqual([999_999_995, 5]);
});
