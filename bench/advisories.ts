// Components held against advisories: 100,000 of the one against 50,000 of the other, as a bill of materials of a large estate and all advisories of
// a few ecosystems would be. At most 60 s of processor.
import { AdvisoryIndex } from '../catalog/advisories/match.js';
import type { Advisory, Component } from '../catalog/advisories/types.js';
import { Random } from './random.js';

const COMPONENTS = Number(process.env['BENCH_COMPONENTS'] ?? 100_000);
const ADVISORIES = Number(process.env['BENCH_ADVISORIES'] ?? 50_000);
const MOST_SECONDS = 60;
const PACKAGES = 12_000;
const ECOSYSTEMS = ['npm', 'PyPI', 'Maven', 'Debian:12', 'Red Hat', 'Go', 'RubyGems', 'Packagist', 'NuGet', 'crates.io', 'Alpine:v3.20'];

const numbers = new Random(20_261_126);
const next = () => numbers.next();
const below = (most: number) => Math.floor(next() * most);
/** Few packages have most advisories and are most used. */
const packageOf = () => Math.floor(PACKAGES * next() ** 2);
const named = (n: number) => ({ ecosystem: ECOSYSTEMS[n % ECOSYSTEMS.length]!, name: `package-${n}` });
const version = () => `${below(6)}.${below(20)}.${below(30)}`;

const advisories = Array.from({ length: ADVISORIES }, (_, n): Advisory => {
  const events = [
    { kind: 'introduced', version: next() < 0.6 ? '0' : version() },
    { kind: 'fixed', version: version() },
  ] as const;
  return { id: `GHSA-${n}`, affected: [{ ...named(packageOf()), ranges: [{ type: 'ECOSYSTEM', events }], versions: [] }] };
});
const components = Array.from({ length: COMPONENTS }, (): Component => ({ ...named(packageOf()), version: version() }));

const before = process.cpuUsage();
const index = new AdvisoryIndex(advisories);
let matches = 0;
for (const component of components) matches += index.match(component).length;
const { user, system } = process.cpuUsage(before);
const seconds = (user + system) / 1e6;
console.log(
  `${COMPONENTS} components against ${ADVISORIES} advisories: ${matches} matches in ${seconds.toFixed(1)} s of processor (at most ${MOST_SECONDS})`,
);
if (seconds > MOST_SECONDS) process.exitCode = 1;
