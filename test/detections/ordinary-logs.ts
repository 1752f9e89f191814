import { Random } from '../../bench/random.js';

/** What an ordinary log is full of: how often, and a record of it. */
export type Habit = readonly [weight: number, record: (moment: Moment) => object];

/** The place of a record in its log. */
export interface Moment {
  readonly n: number;
  readonly random: Random;
  /** ISO 8601. */
  readonly time: string;
  /** A name that is as good as any other. */
  name(kind: string, count: number): string;
  uuid(): string;
}

const START = Date.parse('2030-03-04T06:00:00.000Z');
/** Three days of a log. */
const LASTS = 3 * 86_400_000;

/** Records of an ordinary log in the order of time; the same for the same seed. */
export function* ordinaryLog(habits: readonly Habit[], count: number, seed: number): Generator<object> {
  const random = new Random(seed);
  const all = habits.reduce((sum, [weight]) => sum + weight, 0);
  for (let n = 0; n < count; n++) {
    let left = random.next() * all;
    const [, record] = habits.find(([weight]) => (left -= weight) < 0) ?? habits[0]!;
    yield record({
      ...{ n, random, time: new Date(START + Math.floor((n / count) * LASTS)).toISOString() },
      name: (kind, of) => `${kind}-${random.below(of)}`,
      uuid: () => {
        const hex = Array.from({ length: 32 }, () => random.below(16).toString(16)).join('');
        return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
      },
    });
  }
}
