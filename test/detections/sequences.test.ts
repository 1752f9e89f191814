import { readDetectionFiles } from '../../catalog/detections/rule-file.js';
import { loadDetections, stepsOf } from '../../catalog/detections/rule-set.js';
import { sequenceOf } from '../../subgraphs/cdr/detections/sequence.js';
import { chosen, eventOf } from './made-event.js';

const HOUR = 3_600_000;
const SEQUENCE = { steps: ['one', 'two', 'three'], within: HOUR };

/** Links of `steps@minutes`, in the order of time and then of their names. */
const linksOf = (...texts: string[]) =>
  texts
    .map((text, n) => {
      const [value = '', minutes] = text.split('@');
      return { _id: `t|f|${n}`, tenant_id: 't', at: new Date(Number(minutes) * 60_000), value: value.replace('+', ' ') };
    })
    .sort((one, other) => one.at.getTime() - other.at.getTime());
const chainOf = async (links: ReturnType<typeof linksOf>, from = 0) => {
  const rows = (async function* () {
    yield* links;
  })();
  return (await sequenceOf(rows, SEQUENCE, new Date(from * 60_000))).map(({ at, value }) => `${value}@${at.getTime() / 60_000}`);
};

it.each<[string, string[], string[]]>([
  ['steps in their order', ['0@0', '1@10', '2@60'], ['0@0', '1@10', '2@60']],
  ['not steps in another order', ['1@0', '0@10', '2@20'], []],
  ['not steps that are too far apart', ['0@0', '1@10', '2@61'], []],
  ['of several beginnings the latest', ['0@0', '1@5', '0@10', '1@20', '2@65'], ['0@10', '1@20', '2@65']],
  ['a beginning behind which no step came yet', ['0@0', '1@5', '0@10', '2@20'], ['0@0', '1@5', '2@20']],
  ['steps of one time, however they lie', ['2@10', '1@10', '0@10'], ['0@10', '1@10', '2@10']],
  ['not one event as two steps', ['0+1@0', '2@10'], []],
  ['an event that may be either of two steps', ['0@0', '0+1@5', '2@10'], ['0@0', '0 1@5', '2@10']],
])('sees %s', async (_, given, expected) => {
  expect(await chainOf(linksOf(...given))).toEqual(expected);
});

it('sees a sequence that begins on the day before, and leaves one that ended there to that day', async () => {
  const links = linksOf('0@1430', '1@1435', '2@1445');
  expect(await chainOf(links, 1440)).toEqual(['0@1430', '1@1435', '2@1445']);
  expect(await chainOf(linksOf('0@1430', '1@1435', '2@1439'), 1440)).toEqual([]);
});

it('has at least ten sequences of its own, each with techniques, whose steps are told in their order', async () => {
  const rules = loadDetections();
  const { rules: sources, correlations } = readDetectionFiles();
  const sequences = correlations.flatMap(({ name, correlation }) =>
    correlation.type === 'temporal_ordered' ? [{ name, correlation }] : [],
  );
  expect(sequences.length).toBeGreaterThanOrEqual(10);
  const missed: string[] = [];
  for (const { name, correlation } of sequences) {
    const { techniques, sequence } = rules.all.get(`palisade-detection-${name}`)!;
    const links = correlation.rules.flatMap((rule, step) => {
      const source = sources.find((one) => one.name === rule)!;
      const events = chosen(source).flatMap((selections) => eventOf(source.logsource, selections) ?? []);
      const match = events
        .flatMap((event) => rules.match(event))
        .find((one) => one.rule_id.endsWith(`-${name}`) && stepsOf(one).includes(step));
      // what a regular expression asks for is not made here
      const value = JSON.stringify(source.detection).includes('|re') ? String(step) : match?.value;
      return value === undefined ? [] : [{ _id: `t|f|${step}`, tenant_id: 't', at: new Date(step * 1_000), value }];
    });
    const rows = (async function* () {
      yield* links;
    })();
    const chain = await sequenceOf(rows, sequence!, new Date(0));
    if (techniques.length < 2 || chain.length !== correlation.rules.length) missed.push(name);
  }
  expect(missed).toEqual([]);
});
