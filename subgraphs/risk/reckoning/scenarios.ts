import type { Reader } from '../../../kit/findings/readers.js';
import type { ReadAttackPath } from '../../../kit/read/attack-paths.js';
import { digestOf } from '../../../kit/store/row-id.js';
import type { Provider } from '../../../schema/model.js';
import { drawLoss, type LossModel } from '../simulation/loss.js';
import { hashOf, placeOf, Stream } from '../simulation/draws.js';
import { statisticsOf } from '../simulation/statistics.js';
import { causesOf } from './causes.js';
import type { Basis } from './basis.js';
import { BANDS, ENTRY_CLASSES, type Band, type RiskScenarioRow } from './records.js';
import { entryClassOf, type Ways } from './ways.js';

/** Causes that a scenario names, and losses that its range is drawn from. */
const MOST_CAUSES = 5;
const LOSSES = 2_000;
const TIERS = ['low', 'medium', 'high', 'critical'] as const;

/** A jewel and a class of entry by which it may be lost, each. */
export function scenariosOf(
  tenant_id: string,
  reader: Reader,
  { paths, losses, seed }: Basis,
  { years, sums, losses: drawn, ways }: { years: Float64Array; sums: Float64Array; losses: Float64Array; ways: Ways },
  reductions: ReadonlyMap<string, { cells: Float64Array }>,
): RiskScenarioRow[] {
  const draws = drawn.length;
  const groups = new Map<string, ReadAttackPath[]>();
  for (const path of paths) {
    const key = JSON.stringify([path.nodes.at(-1)!.uid, entryClassOf(path)]);
    groups.set(key, [...(groups.get(key) ?? []), path]);
  }
  return [...groups.values()].map((group) => {
    const [first] = group;
    const target = first!.nodes.at(-1)!;
    const entry = entryClassOf(first!);
    const cell = ways.uids.indexOf(target.uid) * ENTRY_CLASSES.length + ENTRY_CLASSES.indexOf(entry);
    const { tier } = first!.jewel;
    const loss = losses.get(target.uid);
    const likelihood = years[cell]! / draws;
    const expected_loss = loss ? sums[cell]! / draws : null;
    const own = new Map([...reductions].map(([cause, { cells }]) => [cause, cells[cell]!]));
    const said = {
      ...{ reader, entry, tier, has_figures: loss !== undefined, likelihood, expected_loss, paths: group.length },
      resource_uid: target.uid,
      resource_type: target.type,
      resource_name: target.name,
      provider: target.provider as Provider | null,
      account_id: target.account_id,
      region: null,
      band: bandOf(TIERS.indexOf(tier), likelihood),
      impact: loss ? impactOf(seed, target.uid, loss) : null,
      causes: causesOf(group, own).slice(0, MOST_CAUSES),
      rank: expected_loss ?? (TIERS.indexOf(tier) + likelihood) * 1e-9,
    };
    return { _id: `${tenant_id}|${reader}|${digestOf([target.uid, entry])}`, tenant_id, ...said, digest: digestOf(said) };
  });
}

/** How bad something is that cannot be told in money: by its tier, and one band more or less by how likely it is. */
export function bandOf(tier: number, likelihood: number): Band {
  const shift = likelihood >= 0.5 ? 1 : likelihood < 0.01 ? -1 : 0;
  return BANDS[Math.max(0, Math.min(BANDS.length - 1, tier + shift))]!;
}

function impactOf(seed: number, uid: string, loss: LossModel) {
  const stream = new Stream(placeOf(seed, hashOf('impact'), hashOf(uid), 0, 0));
  const { mean, low, high } = statisticsOf(Float64Array.from({ length: LOSSES }, () => drawLoss(stream, loss)));
  return { low, mean, high };
}
