import type { EngineContext } from '../../../kit/engine/context.js';
import { readAttackPaths, type ReadAttackPath } from '../../../kit/read/attack-paths.js';
import { THREAT_FREQUENCIES } from '../settings/defaults.js';
import { ownSettings, type OwnSettings } from '../settings/settings.js';
import { hashOf } from '../simulation/draws.js';
import type { LossModel } from '../simulation/loss.js';
import { simulate } from '../simulation/simulate.js';
import { lossesOf } from './losses.js';
import { ENTRY_CLASSES } from './records.js';
import { waysOf, type Fixed } from './ways.js';

/** Years that are simulated. */
export const DRAWS = 10_000;

/** What a role may read of the ways of an estate, with what it is reckoned by. */
export interface Basis {
  readonly paths: readonly ReadAttackPath[];
  readonly losses: ReadonlyMap<string, LossModel>;
  readonly settings: OwnSettings;
  readonly seed: number;
}

/** The engines that say what is there, and no finding. */
const INVENTORY = 'di';

/** What a role may read: a path that rests on another engine is none to it, in no number. */
export async function basisOf(context: EngineContext, readable: (engine: string) => boolean): Promise<Basis> {
  const paths: ReadAttackPath[] = [];
  for await (const path of readAttackPaths(context))
    if (path.engines.every((engine) => engine === INVENTORY || readable(engine))) paths.push(path);
  const settings = await ownSettings(context);
  return { paths, losses: await lossesOf(context, settings), settings, seed: hashOf(context.auth.tenant_id) };
}

const frequenciesOf = ({ threat_frequencies }: OwnSettings): number[] =>
  ENTRY_CLASSES.map((name) => threat_frequencies[name] ?? THREAT_FREQUENCIES.get(name)!.value);

/** Steps that are tried while a caller waits: half a second or so. A loss that is drawn takes as long as so many. */
const MOST_STEPS = 20_000_000;
const STEPS_OF_A_LOSS = 20;
/** The fewest years that tell something. */
const FEWEST = 100;

/** The years that are simulated while a caller waits: fewer where a year takes longer, by many attempts or by many ways. */
export function drawsAtOnce({ paths, settings }: Pick<Basis, 'paths' | 'settings'>): number {
  const attempts = frequenciesOf(settings).reduce((sum, frequency) => sum + frequency, 0);
  const { steps, jewels } = waysOf(paths, () => null, []);
  const tried = Math.max(1, attempts * (steps.length + STEPS_OF_A_LOSS * jewels.length));
  return Math.min(DRAWS, Math.max(FEWEST, Math.floor(MOST_STEPS / tried)));
}

/** The years of an estate in which something is fixed. The draws are the same whatever is fixed. */
export function yearsOf({ paths, losses, settings, seed }: Basis, fixed: Fixed, slice: () => Promise<void> | void, draws = DRAWS) {
  const ways = waysOf(paths, (uid) => losses.get(uid) ?? null, frequenciesOf(settings), fixed);
  return simulate(ways, { seed, draws }, slice).then((years) => ({ ...years, ways }));
}
