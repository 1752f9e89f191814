import { readFileSync } from 'node:fs';
import { format as asff } from '../../importers/formats/asff/format.js';
import { format as ocsf } from '../../importers/formats/ocsf/format.js';
import { format as sarif } from '../../importers/formats/sarif/format.js';
import { fileSource } from '../../importers/readers/source.js';

// Reads one report in a process of its own and prints what it took: a test reads the line.
const [format, path] = process.argv.slice(2);
const importer = [asff, ocsf, sarif].find((one) => one.name === format);
if (importer === undefined || path === undefined) throw new Error('usage: memory-child FORMAT PATH');
const counts: Record<string, number> = {};
const start = process.cpuUsage();
for await (const item of importer.read(fileSource(path), {})) counts[item.kind] = (counts[item.kind] ?? 0) + 1;
const { user, system } = process.cpuUsage(start);
process.stdout.write(
  JSON.stringify({
    counts,
    seconds: (user + system) / 1e6,
    peakMegabytes: Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))![1]) / 1024,
  }),
);
