import { bufferSource } from '../../importers/readers/source.js';
import { openReport } from '../../importers/index.js';
import { RunNotes } from '../../subgraphs/scans/run-notes.js';
import { withinTime } from '../../subgraphs/scans/time-limit.js';

const HOUR = 3_600_000;

/** Lines of a collector that takes an hour for each, and ends with what it told whole. @param stopped called when nobody reads on */
async function* collected(of: { now: number; stopped: boolean }, lines: number): AsyncGenerator<string> {
  try {
    for (let n = 0; n < lines; n++) {
      of.now += HOUR;
      yield `${JSON.stringify({ source: 'aws ec2 describe-volumes', region: 'eu-west-1', response: { Volumes: [{ VolumeId: `vol-${n}` }] } })}\n`;
    }
    yield `${JSON.stringify({ source: 'aws', whole: ['ec2 eu-west-1'] })}\n`;
  } finally {
    of.stopped = true;
  }
}
async function run(lines: number) {
  const of = { now: 0, stopped: false };
  const told: string[] = [];
  for await (const line of withinTime(collected(of, lines), { now: () => new Date(of.now) })) told.push(line);
  const report = await openReport(bufferSource(Buffer.from(told.join(''))), 'cloud_api_responses');
  const items = [];
  for await (const item of report.read({ account_id: '123456789012' })) items.push(item);
  return { of, assets: items.filter(({ kind }) => kind === 'asset').length, kinds: items.map(({ kind }) => kind), items };
}

it('a run that comes to its end in time is told whole', async () => {
  const { assets, kinds } = await run(5);
  expect([assets, kinds.includes('whole'), kinds.includes('unanswered')]).toEqual([5, true, false]);
});

it('a run that takes longer than six hours keeps what it was told, says so, ends nothing, and asks no more', async () => {
  const { of, assets, kinds, items } = await run(100);
  expect([assets, kinds.includes('whole'), of.stopped, of.now]).toEqual([5, false, true, 6 * HOUR]);
  expect(items.filter(({ kind }) => kind === 'unanswered')).toMatchObject([
    { reason: 'The run has asked for 6 hours, which is its limit: what was left was not asked.' },
  ]);
});

it('a run that was ended by its limit tells of no place that it was answered there: gaps that earlier runs met stay', async () => {
  const notes = new RunNotes();
  for (const item of (await run(100)).items) if (item.kind === 'record' || item.kind === 'unanswered') notes.take(item);
  expect([notes.outcome(true), notes.lacksAnswersAlone, notes.hasMoreGaps]).toEqual(['PARTIAL', true, true]);
});
