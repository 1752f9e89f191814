import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { DetectionError, readDetectionFiles, readDetections } from '../../catalog/detections/rule-file.js';
import { DetectionRules } from '../../catalog/detections/rule-set.js';
import { eventsIn } from './findings-of.js';

const PAGE = readFileSync(join(__dirname, '../../docs/detections.md'), 'utf8');
const blocks = [...PAGE.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => text!);
const ownRule = blocks.find((text) => text.includes('\ndetection:'))!;

it('the rule of docs/detections.md sees the call that stands below it', async () => {
  const [, calls = ''] = /<<END\n([\s\S]*?)\nEND/.exec(PAGE) ?? [];
  const events = await eventsIn('cloudtrail', Buffer.from(calls.replace('$(date -u +%FT%TZ)', '2030-01-01T10:00:00Z')));
  expect(events).toHaveLength(1);
  const mistakes: string[] = [];
  const rules = new DetectionRules(readDetections(ownRule, 'own.yaml', mistakes));
  expect([mistakes, rules.match(events[0]!)]).toEqual([[], [{ rule_id: 'palisade-detection-own-access-key-for-another-user' }]]);
});

it('what docs/detections.md shows of correlations can be built beside the rules of the product', () => {
  const shown = blocks.filter((text) => text.includes('\ncorrelation:')).map((text) => load(text) as { name: string });
  expect(shown.length).toBeGreaterThanOrEqual(3);
  const { rules, correlations } = readDetectionFiles();
  const about = { title: 'Shown', description: 'Shown.', tags: ['attack.t1098'], level: 'low', response: ['Look.'] };
  const mistakes: string[] = [];
  const texts = shown.map((one) => JSON.stringify({ ...about, ...one, name: `shown-${one.name}` }));
  const read = readDetections(texts.join('\n---\n'), 'own.yaml', mistakes);
  if (mistakes.length > 0) throw new DetectionError(mistakes);
  const all = new DetectionRules({ rules, correlations: [...correlations, ...read.correlations] }).all;
  expect(shown.map(({ name }) => all.has(`palisade-detection-shown-${name}`))).toEqual(shown.map(() => true));
});
