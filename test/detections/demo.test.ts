import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventsIn, findingsOf } from './findings-of.js';

const DAY = 86_400_000;

it('tells the attack in the log of the demo, a week of events, in six detections of one actor', async () => {
  const events = await eventsIn('cloudtrail', readFileSync(join(__dirname, '../../demo/reports/cloudtrail.json')));
  const times = events.map(({ time }) => time.getTime());
  expect((Math.max(...times) - Math.min(...times)) / DAY).toBeGreaterThan(6);
  const found = (await findingsOf(events)).map((key) => key.split(' ', 2));
  expect(found.map(([rule]) => rule!.replace('palisade-detection-', '')).sort()).toEqual([
    'aws-access-key-for-another-user',
    'aws-administrator-policy-attached',
    'aws-console-sign-in-without-mfa',
    'aws-second-administrator',
    'aws-snapshot-shared',
    'aws-trail-stopped',
  ]);
  expect(new Set(found.map(([, actor]) => actor))).toEqual(new Set(['arn:aws:iam::111122223333:user/m.keller']));
});
