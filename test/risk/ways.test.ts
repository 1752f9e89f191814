import type { ReadAttackPath } from '../../kit/read/attack-paths.js';
import { causesOf } from '../../subgraphs/risk/reckoning/causes.js';
import { lossOf } from '../../subgraphs/risk/reckoning/losses.js';
import { bandOf } from '../../subgraphs/risk/reckoning/scenarios.js';
import { breachesOf } from '../../subgraphs/risk/reckoning/breaches.js';
import { drawsAtOnce, yearsOf, type Basis } from '../../subgraphs/risk/reckoning/basis.js';
import { edgeKey, isOpen, NOTHING_FIXED, resultKey, waysOf } from '../../subgraphs/risk/reckoning/ways.js';
import type { LossModel } from '../../subgraphs/risk/simulation/loss.js';
import { statisticsOf } from '../../subgraphs/risk/simulation/statistics.js';

type Condition = ReadAttackPath['steps'][number]['conditions'][number];
const node = (uid: string) => ({
  ...{ uid, kind: uid === 'internet' ? ('internet' as const) : ('asset' as const), hold: null, type: 'a_type', name: null },
  ...{ provider: 'aws', account_id: null },
});
const finding = (id: string, engine = 'vulnerability'): Condition => ({
  text: id,
  engine,
  finding_id: id,
  rule_id: id,
  resource_uid: `of ${id}`,
  cause: id,
});
const NONE = { finding_id: null, rule_id: null, resource_uid: null };
const fact: Condition = { text: 'It is public.', engine: 'network-security', ...NONE, cause: 'exposure' };
const grant = (by: string): Condition => ({ text: `${by} allows it`, engine: 'iam', ...NONE, cause: `grant:${by}` });

/** A path by its nodes, with the probability, kind and conditions of each step between. */
function path(uids: string[], steps: [probability: number, kind: string, ...conditions: Condition[]][]): ReadAttackPath {
  return {
    ...{ finding_id: uids.join('>'), entry: 'internet', resource_uid: uids.at(-1)!, pattern: steps.map(([, kind]) => kind).join('>') },
    likelihood: steps.reduce((product, [probability]) => product * probability, 1),
    jewel: { tier: 'high', origin: 'set', reason: 'r' },
    nodes: uids.map(node),
    steps: steps.map(([probability, kind, ...conditions]) => ({ kind, probability, conditions })),
    engines: ['vulnerability'],
  };
}
const fixed = (amount: number): LossModel => ({
  ...{ response: [0, 0, 0], hours: [0, 0, 0], value_per_hour: 0, records: 0, record_share: [1, 1, 1] },
  ...{ fixed: amount, tail: 0 },
});
const PATHS = [
  path(
    ['internet', 'web-1', 'role', 'db'],
    [
      [0.5, 'initial_access', fact, finding('CVE-1')],
      [0.9, 'identity_of_code', grant('web')],
      [0.9, 'data_access', grant('p')],
    ],
  ),
  path(
    ['internet', 'web-2', 'role', 'db'],
    [
      [0.5, 'initial_access', fact, finding('CVE-1')],
      [0.9, 'identity_of_code', grant('web')],
      [0.9, 'data_access', grant('p')],
    ],
  ),
  path(
    ['internet', 'user', 'bucket'],
    [
      [0.1, 'weak_sign_in', finding('no-mfa', 'iam')],
      [0.9, 'data_access', grant('q')],
    ],
  ),
];
const basis: Basis = {
  paths: PATHS,
  losses: new Map([['db', fixed(100)]]),
  settings: { currency: 'USD', per_usd: 1, threat_frequencies: {}, step_probabilities: {}, magnitudes: {} },
  seed: 1,
};
const idle = () => undefined;

it('paths share their steps, and start in classes of entry', () => {
  const { nodes, steps, jewels, uids, placesOf } = waysOf(PATHS, () => null, [1, 1, 1]);
  expect([nodes, steps.length, jewels.length]).toEqual([7, 7, 2]);
  expect(uids).toEqual(['bucket', 'db']);
  expect(steps.filter(({ from }) => from === 0).map(({ cause, entry }) => [cause, entry])).toEqual([
    ['CVE-1', 0],
    ['CVE-1', 0],
    ['no-mfa', 2],
  ]);
  expect(placesOf.get('role')).toHaveLength(1);
});

it('what is fixed is taken by nobody, and years without it lose as much less', async () => {
  const by = (change: Partial<typeof NOTHING_FIXED>) => ({ ...NOTHING_FIXED, ...change });
  expect(PATHS.map((one) => isOpen(one, by({ findings: new Set(['vulnerability/CVE-1']) })))).toEqual([false, false, true]);
  expect(PATHS.map((one) => isOpen(one, by({ findings: new Set(['iam/CVE-1']) })))).toEqual([true, true, true]);
  expect(PATHS.map((one) => isOpen(one, by({ results: new Set([resultKey('CVE-1', 'of CVE-1')]) })))).toEqual([false, false, true]);
  expect(PATHS.map((one) => isOpen(one, by({ results: new Set([resultKey('CVE-1', 'of no-mfa')]) })))).toEqual([true, true, true]);
  expect(PATHS.map((one) => isOpen(one, by({ edges: new Set([edgeKey('internet', 'web-1')]) })))).toEqual([false, true, true]);
  const mean = async (change: Partial<typeof NOTHING_FIXED> = {}) => statisticsOf((await yearsOf(basis, by(change), idle)).losses).mean;
  const [all, half, none] = [
    await mean(),
    await mean({ edges: new Set([edgeKey('internet', 'web-1')]) }),
    await mean({ causes: new Set(['grant:p']) }),
  ];
  // both machines have one hole, so one less changes nothing
  expect(half).toBe(all);
  expect(none).toBe(0);
  expect(Math.abs(all - 40.5)).toBeLessThan((4 * 100 * Math.sqrt(0.405)) / 100);
});

it('a caller waits for as many steps, however often somebody tries and however many ways there are', () => {
  const years = (internet: number, paths = PATHS) =>
    drawsAtOnce({ paths, settings: { ...basis.settings, threat_frequencies: { internet } } });
  // 7 steps, and 2 jewels that cost as much as 20 each: 47 an attempt
  expect([years(1), years(8), years(48), years(998)]).toEqual([10_000, 10_000, Math.floor(20e6 / 50 / 47), Math.floor(20e6 / 1_000 / 47)]);
  const many = Array.from({ length: 1_000 }, (_, n) =>
    path(
      ['internet', `user-${n}`, `bucket-${n}`],
      [
        [0.1, 'weak_sign_in'],
        [0.9, 'data_access'],
      ],
    ),
  );
  expect([years(1, many), years(1_000, many)]).toEqual([Math.floor(20e6 / 3 / 22_000), 100]);
});

it('causes are what somebody can fix, those first that the most hangs on', () => {
  expect(causesOf(PATHS).map(({ cause, paths }) => [cause, paths])).toEqual([
    ['CVE-1', 2],
    ['grant:p', 2],
    ['grant:web', 2],
    ['grant:q', 1],
    ['no-mfa', 1],
  ]);
  expect(causesOf(PATHS, new Map([['no-mfa', 7]]))[0]).toMatchObject({ cause: 'no-mfa', reduction: 7, finding_id: 'no-mfa' });
});

it('an entry that is won costs what lies behind it', async () => {
  const entries = await breachesOf(basis, idle);
  expect(entries.map(({ resource_uid, jewels, without_figures }) => [resource_uid, jewels, without_figures])).toEqual([
    ['web-1', 1, 0],
    ['web-2', 1, 0],
    ['user', 1, 1],
  ]);
  expect(Math.abs(entries[0]!.expected - 81)).toBeLessThan(4 * 0.4);
  expect(entries[2]).toMatchObject({ expected: 0, high: 0 });
});

it('only given figures make money, records by their class, in the currency of the tenant', () => {
  const none = { value: null, value_per_hour: null, records: null, record_class: null, fines: null };
  const decision = { ...none, state: 'accepted' as const, tier: null, reason: 'r', by: 'b', at: new Date() };
  expect(lossOf({ decision: null }, ['pii'], basis.settings)).toBeNull();
  expect(lossOf({ decision }, ['pii'], basis.settings)).toBeNull();
  expect(lossOf({ decision: { ...decision, fines: 0 } }, [], basis.settings)).toMatchObject({
    fixed: 0,
    response: [20_000, 200_000, 1_630_000],
  });
  const of = (given: object, classes: string[], settings = basis.settings) =>
    lossOf({ decision: { ...decision, records: 1_000, ...given } }, classes, settings);
  expect(of({}, ['phi', 'pii'])).toMatchObject({ records: 429_000 });
  expect(of({ record_class: 'pii' }, ['phi'])).toMatchObject({ records: 175_000 });
  expect(of({ record_class: 'something' }, [])).toMatchObject({ records: 146_000 });
  expect(of({}, ['pii'], { ...basis.settings, per_usd: 2, magnitudes: { response_low: 5 } })).toMatchObject({
    records: 350_000,
    response: [5, 400_000, 3_260_000],
    hours: [24, 168, 720],
  });
});

it('bands go by tier, and by likelihood one up or down', () => {
  expect([bandOf(3, 0.2), bandOf(3, 0.9), bandOf(2, 0.6), bandOf(1, 0.001), bandOf(0, 0)]).toEqual([
    'severe',
    'severe',
    'severe',
    'low',
    'low',
  ]);
});
