// Reports as nobody meant them, of every format: BENCH_MUTATIONS (2,000) changes of each of its fixtures, by BENCH_SEED (1), for the formats of
// BENCH_FORMATS (all). Ends with 1 when one of them throws anything but a refusal, gives what the model does not allow, or takes long.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importers } from '../importers/index.js';
import { mutate } from './mutate.js';
import { Random } from './random.js';
import { readMutated, seedOf } from './read-mutated.js';

const COUNT = Number(process.env['BENCH_MUTATIONS'] ?? 2_000);
const SEED = Number(process.env['BENCH_SEED'] ?? 1);
const FORMATS = process.env['BENCH_FORMATS']?.split(',');
/** Milliseconds of processor that one report may take: they have some kilobytes, or a few megabytes of one value. */
const MOST_MS = 5_000;
const FIXTURES = join('test', 'importers', 'fixtures');

for (const format of importers.filter(({ name }) => FORMATS?.includes(name) ?? true)) {
  const folder = join(FIXTURES, format.name);
  const reports = readdirSync(folder)
    .filter((name) => name !== 'expected.json')
    .map((name) => readFileSync(join(folder, name)));
  const random = new Random(seedOf(format.name, SEED));
  const told = { read: 0, refused: 0, broken: 0, truncated: 0, wrong: 0, slowest: 0 };
  for (let n = 0; n < COUNT; n++) {
    const bytes = mutate(random, random.of(reports));
    const before = process.cpuUsage();
    const outcome = await readMutated(format, bytes);
    const { user, system } = process.cpuUsage(before);
    const took = (user + system) / 1_000;
    told.slowest = Math.max(told.slowest, took);
    if (outcome.kind === 'read') {
      told.read++;
      told.broken += outcome.broken;
      told.truncated += outcome.truncated;
    } else if (outcome.kind === 'refused') told.refused++;
    if (outcome.kind !== 'wrong' && took < MOST_MS) continue;
    told.wrong++;
    process.exitCode = 1;
    const path = join(process.env['TMPDIR'] ?? '/tmp', `${format.name}-${SEED}-${n}.report`);
    writeFileSync(path, bytes);
    process.stdout.write(`  ${path}: ${outcome.kind === 'wrong' ? outcome.why : `took ${took.toFixed(0)} ms`}\n`);
  }
  process.stdout.write(
    `${format.name.padEnd(26)} ${told.read} read, ${told.refused} refused; ${told.broken} broken records, ${told.truncated} cut; slowest ${told.slowest.toFixed(0)} ms${told.wrong > 0 ? `; ${told.wrong} WRONG` : ''}\n`,
  );
}
