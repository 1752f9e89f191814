import { placeOf, poissonAt, Stream, uniformAt } from '../../subgraphs/risk/simulation/draws.js';
import { meanLoss, recordCost, type LossModel } from '../../subgraphs/risk/simulation/loss.js';
import { simulate, type RiskGraph, type RiskStep } from '../../subgraphs/risk/simulation/simulate.js';
import { statisticsOf } from '../../subgraphs/risk/simulation/statistics.js';

const DRAWS = 10_000;
const fixed = (amount: number): LossModel => ({
  ...{ response: [0, 0, 0], hours: [0, 0, 0], value_per_hour: 0, records: 0, record_share: [1, 1, 1] },
  ...{ fixed: amount, tail: 0 },
});
const step = (from: number, to: number, probability: number, cause: string): RiskStep =>
  from === 0 ? { from, to, probability, cause, entry: 0 } : { from, to, probability, cause };
const estate = (steps: RiskStep[], jewels: Record<number, LossModel | null>, frequency = 1): RiskGraph => ({
  nodes: Math.max(...steps.flatMap(({ from, to }) => [from, to])) + 1,
  steps,
  jewels: Object.entries(jewels).map(([node, loss]) => ({ node: Number(node), key: `jewel ${node}`, loss })),
  frequencies: [frequency],
});
const run = (graph: RiskGraph, seed = 7) => simulate(graph, { seed, draws: DRAWS });
/** Within four standard errors: by luck alone one in sixteen thousand is not. */
const near = (value: number, expected: number, deviation: number) =>
  expect(Math.abs(value - expected)).toBeLessThan((4 * deviation) / Math.sqrt(DRAWS));

it('one step: losses are Poisson with the frequency times the probability', async () => {
  const [frequency, p, cost] = [2, 0.3, 100];
  const { losses } = await run(estate([step(0, 1, p, 'a')], { 1: fixed(cost) }, frequency));
  const { any_loss, mean, standard_error } = statisticsOf(losses);
  const rate = frequency * p;
  near(mean, rate * cost, Math.sqrt(rate) * cost);
  near(any_loss, 1 - Math.exp(-rate), Math.sqrt(Math.exp(-rate) * (1 - Math.exp(-rate))));
  expect(standard_error).toBeCloseTo((Math.sqrt(rate) * cost) / Math.sqrt(DRAWS), 1);
});

it('a chain of causes multiplies; one cause of several steps is one chance', async () => {
  const chain = await run(estate([step(0, 1, 0.5, 'a'), step(1, 2, 0.4, 'b')], { 2: fixed(1) }));
  near(statisticsOf(chain.losses).mean, 0.2, Math.sqrt(0.2));
  const same = await run(estate([step(0, 1, 0.5, 'a'), step(1, 2, 0.5, 'a')], { 2: fixed(1) }));
  near(statisticsOf(same.losses).mean, 0.5, Math.sqrt(0.5));
  // fifty replicas with one flaw: all or none
  const replicas = (cause: (n: number) => string) =>
    run(
      estate(
        Array.from({ length: 50 }, (_, n) => step(0, n + 1, 0.1, cause(n))),
        Object.fromEntries(Array.from({ length: 50 }, (_, n) => [n + 1, fixed(1)])),
      ),
    );
  const [one, fifty] = [statisticsOf((await replicas(() => 'CVE')).losses), statisticsOf((await replicas((n) => `CVE ${n}`)).losses)];
  near(one.any_loss, 1 - Math.exp(-0.1), 0.3);
  near(one.mean, 5, 50 * Math.sqrt(0.1));
  near(fifty.any_loss, 1 - Math.exp(-(1 - 0.9 ** 50)), 0.5);
  near(fifty.mean, 5, 6);
});

it('two ways to one jewel: by either, and it is lost once an attempt', async () => {
  const { losses, years } = await run(
    estate([step(0, 1, 0.5, 'a'), step(0, 2, 0.5, 'b'), step(1, 3, 1, 'c'), step(2, 3, 1, 'd')], { 3: fixed(1) }),
  );
  near(statisticsOf(losses).mean, 0.75, Math.sqrt(0.75));
  near(years[0]! / DRAWS, 1 - Math.exp(-0.75), 0.5);
});

it('classes of entry have their own attempts', async () => {
  const steps: RiskStep[] = [
    { from: 0, to: 1, probability: 1, cause: 'a', entry: 0 },
    { from: 0, to: 2, probability: 1, cause: 'b', entry: 1 },
  ];
  const jewels = [1, 2].map((node) => ({ node, key: `${node}`, loss: fixed(1) }));
  const { sums } = await run({ nodes: 3, steps, jewels, frequencies: [0.5, 2] });
  near(sums[0]! / DRAWS, 0.5, Math.sqrt(0.5));
  expect([sums[1], sums[2]]).toEqual([0, 0]);
  near(sums[3]! / DRAWS, 2, Math.sqrt(2));
});

it('what a loss costs has the mean of its parts, with a heavy tail that keeps it', async () => {
  const loss: LossModel = {
    ...{ response: [10, 20, 60], hours: [1, 4, 10], value_per_hour: 5, records: 100, record_share: [0.5, 1, 2], fixed: 40, tail: 0.6 },
  };
  expect(meanLoss(loss)).toBeCloseTo(25 + 22.5 + (100 * 6.5) / 6 + 40, 9);
  const { losses } = await run(estate([step(0, 1, 1, 'a')], { 1: loss }));
  near(statisticsOf(losses).mean, meanLoss(loss), meanLoss(loss) * 1.3);
  const { median, high, exceedance } = statisticsOf(losses);
  expect(high).toBeGreaterThan(2 * median);
  expect(exceedance.map((point) => point.loss)).toEqual([...exceedance.map((point) => point.loss)].sort((one, other) => one - other));
});

it('a jewel without figures is lost, and costs nothing that anybody has told', async () => {
  const { losses, years } = await run(estate([step(0, 1, 0.5, 'a')], { 1: null }));
  expect(statisticsOf(losses).mean).toBe(0);
  near(years[0]! / DRAWS, 1 - Math.exp(-0.5), 0.5);
});

it('the same seed gives the same years, another one others, and a fix raises the loss of no year', async () => {
  const random = new Stream(42);
  for (let round = 0; round < 8; round++) {
    const steps = Array.from({ length: 30 }, () =>
      step(
        Math.floor(random.uniform() * 8),
        1 + Math.floor(random.uniform() * 9),
        0.1 + 0.9 * random.uniform(),
        `cause ${Math.floor(random.uniform() * 12)}`,
      ),
    );
    const jewels = { 7: fixed(10), 8: { ...fixed(5), tail: 1 }, 9: { ...fixed(1), response: [1, 2, 9] as const } };
    const graph = { ...estate(steps, jewels, 3), nodes: 10 };
    const play = (one: RiskGraph, seed = 1) => simulate(one, { seed, draws: 500 });
    const before = await play(graph);
    expect((await play(graph)).losses).toEqual(before.losses);
    if (before.losses.some((loss) => loss > 0)) expect((await play(graph, 2)).losses).not.toEqual(before.losses);
    const dropped = Math.floor(random.uniform() * steps.length);
    const after = await play({ ...graph, steps: steps.filter((_, n) => n !== dropped) });
    for (const [year, loss] of after.losses.entries()) expect(loss).toBeLessThanOrEqual(before.losses[year]! + 1e-9);
  }
});

it('draws are even, and their places do not hang together', () => {
  const at = (n: number) => uniformAt(placeOf(3, 1, n, 0, 0));
  const numbers = Array.from({ length: DRAWS }, (_, n) => at(n));
  const neighbours = numbers.slice(1).reduce((sum, number, n) => sum + (number - 0.5) * (numbers[n]! - 0.5), 0) / DRAWS;
  near(numbers.reduce((sum, number) => sum + number, 0) / DRAWS, 0.5, Math.sqrt(1 / 12));
  near(neighbours, 0, 1 / 12);
  const counts = Array.from({ length: 1_000 }, (_, n) => poissonAt(placeOf(3, 2, n, 0, 0), 100));
  expect(Math.abs(counts.reduce((sum, count) => sum + count, 0) / 1_000 - 100)).toBeLessThan((4 * 10) / Math.sqrt(1_000));
  expect(poissonAt(1, 0)).toBe(0);
});

it('the more records, the less one costs, and the more all', () => {
  const scale = [
    { records: 25_575, share: 1 },
    { records: 1_000_000, share: 0.28 },
    { records: 50_000_000, share: 0.0517 },
  ];
  expect(recordCost(1_000, 150, scale)).toBe(150_000);
  expect(recordCost(1_000_000, 150, scale)).toBeCloseTo(42e6, -3);
  expect(recordCost(50_000_000, 150, scale)).toBeCloseTo(388e6, -6);
  const sizes = [0, 10, 1e4, 1e5, 5e5, 1e6, 1e7, 6e7, 1e9];
  const costs = sizes.map((records) => recordCost(records, 150, scale));
  expect(costs).toEqual([...costs].sort((one, other) => one - other));
});
