import { Random } from '../../bench/random.js';
import { AttackGraphBuilder } from '../../kit/graph/builder.js';
import type { AttackGraph } from '../../kit/graph/graph.js';
import { BOUNDS, entryOf, findPaths, patternOf } from '../../kit/graph/search.js';
import { STEP_KINDS, TIERS, type GraphNode } from '../../kit/graph/types.js';
import { chokePointsOf } from '../../subgraphs/attack-path/choke-points.js';
import { draftOf, type PathDraft } from '../../subgraphs/attack-path/draft.js';
import { Sight } from '../../subgraphs/attack-path/masking.js';
import { unionOf } from '../../subgraphs/attack-path/union.js';
import { severityOf } from '../../subgraphs/attack-path/model/model.js';
import type { AuthContext } from '../../kit/base/auth-context.js';

const node = (uid: string): GraphNode => ({
  uid,
  kind: 'asset',
  hold: null,
  type: 'thing',
  name: uid,
  provider: 'aws',
  account_id: '1',
  region: 'global',
});

/** A graph in which steps lead upwards alone, with some jewels. */
function graph(seed: number, nodes = 13, steps = 24): AttackGraph {
  const random = new Random(seed);
  const builder = new AttackGraphBuilder();
  for (let n = 1; n < nodes; n++) builder.node(node(`n${n}`));
  for (let n = 0; n < steps; n++) {
    const from = random.below(nodes - 1);
    const to = from + 1 + random.below(nodes - 1 - from);
    const kind = STEP_KINDS[5 + random.below(4)]!;
    const cause = `cause${random.below(20)}`;
    const conditions = [
      { text: cause, engine: random.below(2) === 0 ? 'vulnerability' : 'iam', finding_id: null, rule_id: null, resource_uid: null, cause },
    ];
    builder.step(from, to, { kind, probability: (1 + random.below(99)) / 100, conditions });
  }
  for (let n = nodes - 3; n < nodes; n++) builder.jewel(n, { tier: TIERS[n % TIERS.length]!, origin: 'proposed', reason: 'told' });
  return builder.build();
}

/** Every way through a graph, by brute force: the likelihood of the best of each jewel and pattern. */
function everyPath(of: AttackGraph): Map<string, number> {
  const best = new Map<string, number>();
  const walk = (at: number, nodes: number[], steps: number[], likelihood: number): void => {
    if (likelihood < BOUNDS.likelihood || steps.length > BOUNDS.length) return;
    if (of.jewels.has(at)) {
      const key = `${at} ${patternOf(of, { steps })}`;
      best.set(key, Math.max(best.get(key) ?? 0, likelihood));
    }
    const { starts, steps: out } = of.out;
    for (let n = starts[at]!; n < starts[at + 1]!; n++) {
      const step = out[n]!;
      walk(of.to(step), [...nodes, of.to(step)], [...steps, step], likelihood * of.step(step).probability);
    }
  };
  walk(0, [0], [], 1);
  return best;
}

const found = (of: AttackGraph): Map<string, number> => {
  const { paths, leftOut } = findPaths(of);
  return new Map([...paths, ...leftOut].map((path) => [`${path.nodes.at(-1)} ${patternOf(of, path)}`, path.likelihood]));
};
const drafts = (of: AttackGraph): PathDraft[] => findPaths(of).paths.map((path) => draftOf(of, path));
const SEEDS = Array.from({ length: 20 }, (_, n) => n + 1);

it.each(SEEDS)('finds the best of every jewel and pattern that walking every way finds (graph %i)', (seed) => {
  const of = graph(seed);
  const [walked, told] = [everyPath(of), found(of)];
  expect([...told.keys()].sort()).toEqual([...walked.keys()].sort());
  for (const [key, likelihood] of told) expect(likelihood).toBeCloseTo(walked.get(key)!, 9);
});

it('tells paths worst first, and the same every time', () => {
  for (const seed of SEEDS) {
    const one = drafts(graph(seed));
    expect(drafts(graph(seed))).toEqual(one);
    expect(one.map(({ weight }) => weight)).toEqual(one.map(({ weight }) => weight).sort((a, b) => b - a));
  }
});

it('adds no path and makes none likelier when a step goes', () => {
  for (const seed of SEEDS.slice(0, 10)) {
    const of = graph(seed);
    const before = found(of);
    for (let gone = 0; gone < of.stepCount; gone++)
      for (const [key, likelihood] of found(of.keeping((step) => step !== gone)))
        expect(before.get(key) ?? 0).toBeGreaterThanOrEqual(likelihood - 1e-12);
  }
});

it('leaves out what there is no room for, and says so', () => {
  const of = graph(3, 13, 24);
  const whole = findPaths(of);
  const bounded = findPaths(of, { ...BOUNDS, most: 3 });
  expect(bounded.paths).toHaveLength(3);
  expect(bounded.paths.map(({ likelihood }) => likelihood)).toEqual(whole.paths.slice(0, 3).map(({ likelihood }) => likelihood));
  // what is in neither list leads to a jewel of which it is said that not everything was looked for
  const told = new Set([...bounded.paths, ...bounded.leftOut].map(({ nodes, steps }) => `${nodes.join()} ${steps.join()}`));
  const untold = whole.paths.filter(({ nodes, steps }) => !told.has(`${nodes.join()} ${steps.join()}`));
  expect(untold.filter(({ nodes }) => !bounded.cut.has(nodes.at(-1)!))).toEqual([]);
  expect(findPaths(of, { ...BOUNDS, mostOfJewel: 1 }).cut.size).toBeGreaterThan(0);
  expect(whole.cut.size).toBe(0);
});

it('removes by the fix of a choke point what it promises, among the steps of the paths', () => {
  for (const seed of SEEDS.slice(0, 10)) {
    const of = graph(seed);
    const rows = drafts(of).map((draft) => ({ ...draft, resource_uid: draft.target, nodes: [...draft.nodes], steps: [...draft.steps] }));
    const points = chokePointsOf(rows);
    expect(points.map(({ weight_removed }) => weight_removed)).toEqual(
      points.map(({ weight_removed }) => weight_removed).sort((a, b) => b - a),
    );
    for (const { cause, paths_broken } of points) {
      const without = (one: AttackGraph) =>
        one.keeping((step) => one.step(step).conditions.every((condition) => condition.cause !== cause));
      expect(rows.length - found(without(unionOf(rows))).size).toBe(paths_broken);
      // steps that no listed path takes may keep one alive, and never break one
      expect(rows.length - found(without(of)).size).toBeLessThanOrEqual(paths_broken);
    }
  }
});

it('shows of steps that rest on engines of others their kind, and nothing that tells more', () => {
  const engines = [
    { engine: 'vulnerability', viewSegment: 'vulnerability', permission: 'vulnerability:read' },
    { engine: 'iam', viewSegment: 'iam', permission: 'iam:read' },
  ] as never;
  const sight = new Sight(engines, { permissions: ['iam:read', 'inventory:read'] } as unknown as AuthContext);
  expect(sight.restricted).toEqual(['vulnerability']);
  const paths = SEEDS.flatMap((seed) => drafts(graph(seed)));
  let masked = 0;
  for (const { nodes, steps } of paths) {
    const shown = sight.nodes({ nodes: [...nodes], steps: [...steps] });
    for (const [n, step] of steps.entries()) {
      const told = sight.step(step);
      expect(told.masked).toBe(step.conditions.some(({ engine }) => engine === 'vulnerability'));
      if (!told.masked) continue;
      masked += 1;
      expect({ ...told, probability: told.probability, conditions: told.conditions }).toMatchObject({ probability: null, conditions: [] });
      if (n > 0) expect(shown[n]).toBeNull();
      if (n < steps.length - 1) expect(shown[n + 1]).toBeNull();
    }
  }
  expect(masked).toBeGreaterThan(20);
});

it('is the worse the likelier a path is and the more it leads to', () => {
  expect(severityOf(0.9, 'critical')).toBe('critical');
  expect(severityOf(0.9, 'low')).toBe('medium');
  expect(severityOf(0.08, 'critical')).toBe('high');
  expect(severityOf(0.001, 'high')).toBe('low');
});

it('leads from a leaked credential as an entry of its own', () => {
  const builder = new AttackGraphBuilder();
  const [user, jewel] = [builder.node(node('user')), builder.node(node('jewel'))];
  builder.jewel(jewel, { tier: 'high', origin: 'set', reason: 'told' });
  builder.step(0, user, { kind: 'leaked_credential', probability: 0.9, conditions: [] });
  builder.step(user, jewel, { kind: 'data_access', probability: 0.9, conditions: [] });
  const of = builder.build();
  expect(findPaths(of).paths.map((path) => entryOf(of, path))).toEqual([user]);
});
