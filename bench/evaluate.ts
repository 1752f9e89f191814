// The whole catalog over 100,000 generated resources on one thread, against the same predicates as plain JavaScript functions; the time
// that a process needs to load the catalog, and its memory while it streams the resources.
import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { expandCatalog } from '../catalog/catalog.js';
import type { Measured } from './evaluate-inventory.js';
import { inventoryOf } from './inventory-mix.js';
import { median } from './load.js';

const RESOURCES = Number(process.env['BENCH_RESOURCES'] ?? 100_000);
const LOADS = 5;
/** The heap that the processes get: a process that may have more lets garbage lie. */
const HEAP_MIB = 256;
const folder = mkdtempSync(join(tmpdir(), 'palisade-bench-'));
const file = join(folder, 'inventory.ndjson');

function measure(...args: string[]): Measured {
  const script = fileURLToPath(new URL('evaluate-inventory.js', import.meta.url));
  return JSON.parse(
    execFileSync(process.execPath, [`--max-old-space-size=${HEAP_MIB}`, script, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      maxBuffer: 2 ** 28,
    }).toString(),
  ) as Measured;
}

function* lines(): Generator<string> {
  for (const item of inventoryOf(expandCatalog().rules, RESOURCES)) yield `${JSON.stringify(item)}\n`;
}

try {
  await pipeline(Readable.from(lines()), createWriteStream(file));

  const loads = Array.from({ length: LOADS }, () => measure('load'));
  const ready = median(loads.map((load) => load.ready)) / 1000;
  console.log(`${loads[0]!.rules} rules and the frameworks loaded ${ready.toFixed(2)} s after a process starts (under 1.5)`);

  const judged = measure('judge', file);
  const shares = Object.entries(judged.verdicts).map(
    ([verdict, count]) => `${((count / judged.evaluations) * 100).toFixed(1)} % ${verdict}`,
  );
  console.log(`${judged.resources} resources, ${judged.evaluations} results: ${shares.join(', ')}`);
  console.log(
    `evaluated in ${judged.ours.toFixed(1)} s on one thread (under 30); ${judged.whole.toFixed(1)} s with reading the inventory twice, ${judged.processor.toFixed(1)} s of the processor; ` +
      `memory at its highest ${judged.memory.toFixed(0)} MiB (under 400) with a heap of ${HEAP_MIB} MiB`,
  );

  const compared = measure('compare', file);
  console.log(
    `  the same predicates in plain JavaScript: ${compared.baseline.toFixed(1)} s, palisade beside it ${compared.ours.toFixed(1)} s; ` +
      `ratio ${(compared.baseline / compared.ours).toFixed(2)}; ${compared.different.length} of ${compared.evaluations} verdicts differ`,
  );
  for (const { rule_id, resource_uid, ours, baseline } of compared.different.slice(0, Number(process.env['BENCH_SHOW'] ?? 5)))
    console.log(`    ${rule_id} on ${resource_uid}: palisade ${ours}, JavaScript ${baseline}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
