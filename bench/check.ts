// `palisade check` as a shell starts it: CPU and memory of the process over a plan and over a folder of source code with the same resources, and of `palisade help`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expandCatalog } from '../catalog/catalog.js';
import { inventoryOf } from './inventory-mix.js';
import { median } from './load.js';
import { endedSeconds } from './process-cpu.js';
import { planOf, sourcesOf } from './terraform-code.js';

const RESOURCES = Number(process.env['BENCH_RESOURCES'] ?? 400);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
const folder = mkdtempSync(join(tmpdir(), 'palisade-bench-'));

/** Seconds of CPU that a run of the command takes. */
async function run(args: readonly string[]): Promise<number> {
  const before = endedSeconds();
  const child = spawn(process.execPath, ['dist/main.js', ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number];
  if (code > 1) throw new Error(`palisade ${args.join(' ')} ended with ${code}`);
  return endedSeconds() - before;
}

async function tell(what: string, bar: string, args: readonly string[]): Promise<void> {
  const seconds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) seconds.push(await run(args));
  const [least, middle, most] = [Math.min(...seconds), median(seconds), Math.max(...seconds)].map((one) => one.toFixed(2));
  console.log(`${what}: ${middle} s of CPU (${least} to ${most} in ${ROUNDS}; ${bar})`);
}

try {
  const items = [...inventoryOf(expandCatalog().rules, RESOURCES * 2)];
  const assets = items.flatMap((item) => (item.kind === 'asset' && item.asset.provider !== 'k8s' ? [item.asset] : [])).slice(0, RESOURCES);
  const types = new Set(assets.map(({ resource_type }) => resource_type)).size;
  const plan = join(folder, 'plan.json');
  writeFileSync(plan, JSON.stringify(planOf(assets)));
  const code = join(folder, 'code');
  mkdirSync(code);
  for (const [i, text] of sourcesOf(assets).entries()) writeFileSync(join(code, `part-${i}.tf`), text);
  await tell('palisade help', 'at most 0.3', ['help']);
  await tell(`a plan of ${assets.length} resources of ${types} types`, 'at most 1.5', ['check', plan]);
  await tell(`as many in ${Math.ceil(assets.length / 20)} files of source code`, 'at most 1.5', ['check', code]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
