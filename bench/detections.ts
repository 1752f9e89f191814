// A log of CloudTrail held against all detections, and against the same predicates as plain functions (bench/plain-detections), which are asked one after the other
// without an index by call as well as with one. In CPU of this process; the memory that it takes meanwhile. Reading and making events is not counted.
import { bufferSource, findImporter } from '../importers/index.js';
import { readDetectionFiles } from '../catalog/detections/rule-file.js';
import { loadDetections } from '../catalog/detections/rule-set.js';
import type { EventInput } from '../schema/observations.js';
import { cloudTrailEvent } from './cloudtrail-log.js';
import { plainRules } from './plain-detections.js';
import { residentMiB } from './process-cpu.js';

const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 1_000_000);
const BATCH = 5_000;
/** One of so many is what an attacker does. */
const ATTACKS = 1_000;
const BARS = { seconds: 90, mebibytes: 400 };

const ATTACK = [
  ['cloudtrail', 'StopLogging', { name: 'main' }],
  ['iam', 'CreateAccessKey', { userName: 'other' }],
  ['ec2', 'ModifySnapshotAttribute', { createVolumePermission: { add: { items: [{ userId: '444455556666' }] } } }],
  ['guardduty', 'DeleteDetector', { detectorId: 'd' }],
] as const;

/** The n-th record: of an ordinary account, now and then of an attacker. */
function recordOf(n: number): object {
  const ordinary = cloudTrailEvent(n, Date.now() - 30 * 86_400_000, 2_500, 200);
  if (n % ATTACKS !== 0) return ordinary;
  const [service, eventName, requestParameters] = ATTACK[(n / ATTACKS) % ATTACK.length]!;
  return { ...ordinary, eventSource: `${service}.amazonaws.com`, eventName, requestParameters };
}

async function eventsFrom(first: number, count: number): Promise<EventInput[]> {
  const Records = Array.from({ length: count }, (_, n) => recordOf(first + n));
  const events: EventInput[] = [];
  for await (const item of findImporter('cloudtrail')!.read(bufferSource(Buffer.from(JSON.stringify({ Records }))), {}))
    if (item.kind === 'event') events.push(item.event);
  return events;
}

const rules = loadDetections();
const plain = plainRules(readDetectionFiles().rules.filter(({ logsource }) => logsource === 'aws/cloudtrail'));
/** CPU seconds, and how many times something was seen: ours count an event for each correlation that takes it as well. */
const sides = {
  palisade: { seconds: 0, seen: 0, of: (event: EventInput) => rules.match(event).length },
  'plain functions by call': { seconds: 0, seen: 0, of: plain.byCall },
  'plain functions, all of them': { seconds: 0, seen: 0, of: plain.all },
};
let most = 0;
let candidates = 0;
for (let first = 0; first < EVENTS; first += BATCH) {
  const events = await eventsFrom(first, Math.min(BATCH, EVENTS - first));
  for (const side of Object.values(sides)) {
    const before = process.cpuUsage();
    for (const event of events) side.seen += side.of(event);
    const { user, system } = process.cpuUsage(before);
    side.seconds += (user + system) / 1e6;
  }
  candidates += rules.candidates(events[0]!);
  most = Math.max(most, residentMiB(process.pid));
}
const { palisade } = sides;
console.log(`${EVENTS} events against ${rules.all.size} detections: ${palisade.seconds.toFixed(1)} s of CPU (at most ${BARS.seconds})`);
console.log(`  at most ${most.toFixed(0)} MiB in this process (at most ${BARS.mebibytes})`);
console.log(`  an event meets ${(candidates / Math.ceil(EVENTS / BATCH)).toFixed(1)} rules; ${palisade.seen} times something was seen`);
for (const [name, { seconds, seen }] of Object.entries(sides).slice(1))
  console.log(`  ${name}: ${seconds.toFixed(1)} s, ${(seconds / palisade.seconds).toFixed(2)} of ours; ${seen} times something was seen`);
if (palisade.seconds > BARS.seconds || most > BARS.mebibytes) process.exitCode = 1;
