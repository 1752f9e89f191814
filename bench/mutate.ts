import type { Random } from './random.js';

/** What takes the place of a value of a JSON report. */
const INSTEAD: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  2 ** 53,
  '',
  ' ',
  'x\u0000y',
  '\ud800',
  '../../etc/passwd',
  '{"a":1}',
  '<a>&amp;</a>',
  '9999-99-99T99:99:99Z',
  'pkg:npm/%',
  'sha256:',
  [],
  {},
  [null],
  [[]],
  [{}],
  { '': '' },
  { __proto__: 1, constructor: { prototype: 1 }, toString: 'x', hasOwnProperty: null },
];

/** What a value may come to where it is repeated. */
const MOST_BYTES = 2_000_000;

/** A value in a JSON document, by what holds it. */
interface Place {
  readonly holder: Record<string | number, unknown>;
  readonly key: string | number;
}

function placesOf(document: unknown): Place[] {
  const places: Place[] = [];
  const holders: unknown[] = [document];
  for (let next = holders.pop(); next !== undefined; next = holders.pop()) {
    const holder = next as Record<string | number, unknown>;
    for (const key of Array.isArray(next) ? next.keys() : Object.keys(holder)) {
      places.push({ holder, key });
      if (typeof holder[key] === 'object' && holder[key] !== null) holders.push(holder[key]);
    }
  }
  return places;
}

const nested = (random: Random, inner: unknown): unknown => {
  let value = inner;
  for (let levels = random.between(2, 400); levels > 0; levels--) value = random.chance(0.5) ? [value] : { x: value };
  return value;
};

/** Changes of one place of a JSON document. */
const ON_JSON: readonly ((random: Random, place: Place, all: readonly Place[]) => void)[] = [
  (random, { holder, key }) => (holder[key] = structuredClone(random.of(INSTEAD))),
  (_, { holder, key }) => (Array.isArray(holder) ? holder.splice(Number(key), 1) : delete holder[key]),
  (random, { holder, key }) => (holder[key] = nested(random, holder[key])),
  (_, { holder, key }) => (holder[key] = [holder[key]]),
  (_, { holder, key }) => (holder[key] = JSON.stringify(holder[key]) ?? null),
  (random, { holder, key }) => (holder[key] = 'x'.repeat(random.of([1_000, 100_000, 1_100_000]))),
  (random, { holder, key }) => {
    const written = JSON.stringify(holder[key]) ?? '';
    const most = Math.max(1, Math.floor(MOST_BYTES / (written.length + 1)));
    holder[key] = Array.from({ length: Math.min(most, random.between(2, 500)) }, (): unknown => JSON.parse(written || 'null'));
  },
  (random, { holder, key }, all) => {
    const other = random.of(all);
    const value = holder[key];
    // a document that holds itself could not be written
    holder[key] = structuredClone(other.holder[other.key]);
    if (typeof value !== 'object') other.holder[other.key] = value;
  },
  (random, { holder, key }) => {
    if (Array.isArray(holder)) return;
    holder[random.of(['', '\u0000', '$', 'a.b', '__proto__', 'x'.repeat(5_000)])] = holder[key];
    delete holder[key];
  },
];

/** Changes of a text, of whatever syntax. */
const ON_BYTES: readonly ((random: Random, bytes: Buffer) => Buffer)[] = [
  (random, bytes) => bytes.subarray(0, random.below(bytes.length)),
  (random, bytes) => bytes.subarray(random.below(bytes.length)),
  (random, bytes) => {
    const changed = Buffer.from(bytes);
    for (let n = random.between(1, 12); n > 0; n--) changed[random.below(changed.length)] = random.below(256);
    return changed;
  },
  (random, bytes) => {
    const changed = Buffer.from(bytes);
    for (let n = random.between(1, 6); n > 0; n--)
      changed[random.below(changed.length)] = random.of([...'[]{}",:<>/&\n\t= \'#']).charCodeAt(0);
    return changed;
  },
  (random, bytes) => {
    const [from, to] = [random.below(bytes.length), random.below(bytes.length)].sort((one, other) => one - other) as [number, number];
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
  },
  (random, bytes) => {
    const [from, to] = [random.below(bytes.length), random.below(bytes.length)].sort((one, other) => one - other) as [number, number];
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
  },
  (random, bytes) => {
    const at = random.below(bytes.length);
    const put = random.of(['[', '{"x":', '<x>', '"', ',', '\n', '&lol;', '<!--', '<![CDATA[', '\u0000', '\ufeff']);
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(put.repeat(random.of([1, 3, 300, 20_000]))), bytes.subarray(at)]);
  },
  (random, bytes) => {
    const lines = bytes.toString('utf8').split('\n');
    const [one, other] = [random.below(lines.length), random.below(lines.length)];
    [lines[one], lines[other]] = [lines[other]!, lines[one]!];
    return Buffer.from(lines.join(random.of(['\n', '\n', '\r\n', '\r'])));
  },
];

/** The report as JSON: a document, or lines of them; null for another syntax. */
function parsed(bytes: Buffer): { documents: unknown[]; isLines: boolean } | null {
  const text = bytes.toString('utf8');
  try {
    return { documents: [JSON.parse(text)], isLines: false };
  } catch {
    try {
      return {
        documents: text
          .split('\n')
          .filter((line) => line.trim() !== '')
          .map((line): unknown => JSON.parse(line)),
        isLines: true,
      };
    } catch {
      return null;
    }
  }
}

/** A report as nobody meant it: cut, garbled, repeated, nested, enlarged, or with other values in some of its places. */
export function mutate(random: Random, bytes: Buffer): Buffer {
  const json = random.chance(0.6) ? parsed(bytes) : null;
  if (json === null) return random.of(ON_BYTES)(random, bytes);
  for (let n = random.of([1, 1, 1, 2, 5]); n > 0; n--) {
    const places = placesOf(json.documents);
    if (places.length > 0) random.of(ON_JSON)(random, random.of(places), places);
  }
  return Buffer.from(json.documents.map((document) => JSON.stringify(document) ?? '').join(json.isLines ? '\n' : ''));
}
