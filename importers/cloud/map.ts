import { cloudTable, type CloudTable, type Thing } from './table.js';
import type { TerraformInstance } from '../terraform/asset.js';
import { blockOf, isItem, valuesAt, type Found, type Item } from './value.js';

/** What the caller, or what is around a thing, says of its place. */
export interface Place {
  region: string | undefined;
  account: string | undefined;
}

const hasAll = (item: Item, names: readonly string[]): boolean => names.every((name) => valuesAt(item, name).length > 0);

/** The region of an availability zone. */
const regionOfZone = (zone: unknown): string | undefined =>
  typeof zone === 'string' ? /^([a-z]{2}(?:-[a-z]+)+-\d+)[a-z]$/.exec(zone)?.[1] : undefined;

/** The resources that a thing tells, as Terraform would. @param at where it stands in the report */
export function resourcesOf(table: CloudTable, thing: Thing, item: Item, place: Place, at: string, within?: Found): TerraformInstance[] {
  const zone = valuesAt(item, 'AvailabilityZone')[0] ?? valuesAt(item, 'Placement.AvailabilityZone')[0];
  const owner = valuesAt(item, 'OwnerId')[0];
  const found: Found = {
    item,
    within,
    region: regionOfZone(zone) ?? place.region,
    account: typeof owner === 'string' && /^\d{12}$/.test(owner) ? owner : place.account,
  };
  const made = [instanceOf(thing.type, blockOf(found, item, { ...table.all, ...thing.values }), at)];
  for (const { each, has, type, values } of thing.more) {
    valuesAt(item, each).forEach((inner, n) => {
      if (!isItem(inner) || !hasAll(inner, has) || has.some((name) => valuesAt(inner, name)[0] === false)) return;
      // what stands in the thing itself is not one level deeper
      const holder = each === '.' ? { ...found, within } : found;
      made.push(instanceOf(type, blockOf(holder, inner, values), `${at}.${each}[${n}]`));
    });
  }
  return made;
}

function instanceOf(type: string, values: Record<string, unknown>, position: string): TerraformInstance {
  const name = [values['id'], values['name'], values['arn']].find((value) => typeof value === 'string') ?? position;
  return { address: `${type}.${String(name)}`, type, name: String(name), values, unknown: [], sensitive: [], position };
}

let byList: ReadonlyMap<string, readonly { thing: Thing; inner: string }[]> | undefined;

/** The lists of AWS's answers that the table knows: what stands in them, and where in an entry. */
function listsOfAnswers(): NonNullable<typeof byList> {
  if (byList === undefined) {
    const made = new Map<string, { thing: Thing; inner: string }[]>();
    for (const thing of cloudTable('aws').things)
      for (const path of thing.answer) {
        const [list = '', ...inner] = path.split('.');
        made.set(list, [...(made.get(list) ?? []), { thing, inner: inner.join('.') || '.' }]);
      }
    byList = made;
  }
  return byList;
}

/** Names under which AWS answers list things that the table knows. */
export const answerLists = (): readonly string[] => [...listsOfAnswers().keys()];

/** The resources of an entry of one of the lists that AWS answers. @param at where it stands in the report */
export function resourcesOfEntry(list: string, entry: Item, place: Place, at: string): TerraformInstance[] {
  const owner = valuesAt(entry, 'OwnerId')[0];
  const own = typeof owner === 'string' ? { ...place, account: owner } : place;
  return (listsOfAnswers().get(list) ?? []).flatMap(({ thing, inner }) =>
    valuesAt(entry, inner).flatMap((item, n) =>
      isItem(item) && hasAll(item, thing.has)
        ? resourcesOf(cloudTable('aws'), thing, item, own, inner === '.' ? at : `${at}.${inner}[${n}]`)
        : [],
    ),
  );
}

const configs = new Map<string, Map<string, Thing>>();

/** The line of a kind of thing that an export names, whatever the case; undefined for one that no line knows. */
export function thingOf(provider: CloudTable['provider'], kind: string): Thing | undefined {
  let known = configs.get(provider);
  if (known === undefined) {
    known = new Map();
    for (const thing of cloudTable(provider).things) for (const name of thing.config) known.set(name.toLowerCase(), thing);
    configs.set(provider, known);
  }
  return known.get(kind.toLowerCase());
}
