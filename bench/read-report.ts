// Reads a report of a kind in this process, and prints the records, the processor seconds and the most memory in MiB that it took.
import { readFileSync } from 'node:fs';
import { fileSource } from '../importers/readers/source.js';
import { READER_KINDS } from './reader-kinds.js';

const [kind = '', path = ''] = process.argv.slice(2);
let read = 0;
const before = process.cpuUsage();
for await (const item of READER_KINDS[kind]!.read(fileSource(path))) if (item.kind === 'value' || item.kind === 'document') read += 1;
const { user, system } = process.cpuUsage(before);
const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;
process.stdout.write(JSON.stringify({ read, seconds: (user + system) / 1e6, peak }));
