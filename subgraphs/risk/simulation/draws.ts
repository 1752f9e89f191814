/**
 * Numbers that are drawn by their place and not in turn: the same seed and places give the same number whatever else is drawn. So two estates that
 * differ in one step see the same luck everywhere else, and a fix never seems to raise a loss.
 */

/** Mixes a number into a hash (the finalizer of MurmurHash3, by Austin Appleby, in the public domain). */
function mix(hash: number, value: number): number {
  let mixed = (hash ^ value) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) + 0x9e3779b9) | 0;
}

/** A hash of a text of 32 bits (FNV-1a, then mixed). */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mix(hash, text.length) >>> 0;
}

/** The place of a draw: where a stream of numbers begins. */
export const placeOf = (seed: number, one: number, two: number, three: number, four: number): number =>
  mix(mix(mix(mix(mix(seed, 0x5bd1e995), one), two), three), four) >>> 0;

/** A number at a place, above 0 and below 1. */
export function uniformAt(place: number): number {
  const [high, low] = [mix(place, 0x68e31da4) >>> 0, mix(place, 0xb5297a4d) >>> 0];
  return (high * 2 ** 21 + (low >>> 11) + 0.5) / 2 ** 53;
}

/** Numbers one after the other from a place on (mulberry32, by Tommy Ettinger, in the public domain). */
export class Stream {
  constructor(private state: number) {}

  /** Above 0 and below 1. */
  uniform(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  }

  /** Of the normal distribution with mean 0 and deviation 1 (Box and Muller). */
  normal(): number {
    return Math.sqrt(-2 * Math.log(this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }

  /** Of the gamma distribution with a shape of at least 1 and scale 1 (Marsaglia and Tsang, 2000). */
  gamma(shape: number): number {
    const d = shape - 1 / 3;
    const c = 1 / Math.sqrt(9 * d);
    for (;;) {
      const x = this.normal();
      const v = (1 + c * x) ** 3;
      if (v > 0 && Math.log(this.uniform()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
    }
  }

  /** Of the PERT distribution: a beta whose mean is (low + 4 likely + high) / 6. */
  pert(low: number, likely: number, high: number): number {
    if (!(high > low)) return low;
    const [one, other] = [1 + (4 * (likely - low)) / (high - low), 1 + (4 * (high - likely)) / (high - low)];
    const x = this.gamma(one);
    return low + ((high - low) * x) / (x + this.gamma(other));
  }
}

/** How often something happens at a place that happens `mean` times on average (inversion; in steps, so that large means do not underflow). */
export function poissonAt(place: number, mean: number): number {
  let count = 0;
  for (let left = mean, part = 0; left > 0; left -= MOST_AT_ONCE, part++) {
    let [probability, rest] = [Math.exp(-Math.min(left, MOST_AT_ONCE)), uniformAt(mix(place, part) >>> 0)];
    for (let n = 1; rest > probability && n < MOST_EVENTS; n++) {
      rest -= probability;
      probability *= Math.min(left, MOST_AT_ONCE) / n;
      count++;
    }
  }
  return count;
}
const MOST_AT_ONCE = 32;
const MOST_EVENTS = 1_000;
