import { dataClassesOf, dataClassOf } from '../../../catalog/data-classes.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { readClassifiedByUid } from '../../../kit/read/inventory.js';
import { crownJewels, type CrownJewelRow } from '../jewels/records.js';
import { MAGNITUDES, RECORD_SCALE } from '../settings/defaults.js';
import { magnitudeOf, type OwnSettings } from '../settings/settings.js';
import { recordCost, type LossModel, type Range } from '../simulation/loss.js';

const AT_ONCE = 200;

/** What the loss of each jewel costs that people have given a figure of, by resource_uid. */
export async function lossesOf(context: EngineContext, settings: OwnSettings): Promise<ReadonlyMap<string, LossModel>> {
  const losses = new Map<string, LossModel>();
  let page: CrownJewelRow[] = [];
  const take = async (): Promise<void> => {
    const known = await readClassifiedByUid(
      context,
      page.map(({ resource_uid }) => resource_uid),
    );
    for (const jewel of page) {
      const loss = lossOf(jewel, known.get(jewel.resource_uid)?.data_classes ?? [], settings);
      if (loss) losses.set(jewel.resource_uid, loss);
    }
    page = [];
  };
  for await (const jewel of context.collection(crownJewels).scan({ state: 'accepted' })) if (page.push(jewel) === AT_ONCE) await take();
  if (page.length > 0) await take();
  return losses;
}

/** What the loss of a jewel costs; null where nobody has given a figure: none is invented. */
export function lossOf({ decision }: Pick<CrownJewelRow, 'decision'>, classes: readonly string[], settings: OwnSettings): LossModel | null {
  if (!decision) return null;
  const { value, value_per_hour, records, record_class, fines } = decision;
  if ([value, value_per_hour, records, fines].every((one) => one === null)) return null;
  const of = (name: string) => magnitudeOf(settings, name);
  const range = (name: string): Range => [of(`${name}_low`), of(`${name}_likely`), of(`${name}_high`)];
  const [worst] = record_class === null ? dataClassesOf(classes) : [dataClassOf(record_class)];
  const each = of(worst != null && MAGNITUDES.has(`record_${worst}`) ? `record_${worst}` : 'record_other');
  const [low, high] = [of('record_share_low'), of('record_share_high')];
  return {
    response: range('response'),
    hours: range('hours'),
    value_per_hour: value_per_hour ?? 0,
    records: recordCost(records ?? 0, each, RECORD_SCALE),
    record_share: [Math.min(low, 1), 1, Math.max(high, 1)],
    fixed: (value ?? 0) + (fines ?? 0),
    tail: of('tail'),
  };
}
