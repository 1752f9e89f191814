import { plainText } from '../readers/json/fields.js';
import { cloudTable, type CloudTable, type Made, type Same, type Thing, type ThingCall, type Values } from './table.js';
import type { TerraformInstance } from '../terraform/asset.js';
import { isItem, isOpen, mayBeNone, valuesAt, type Item } from './item.js';
import { blockOf, valueOf, type Found } from './value.js';

/** What the caller, or what is around a thing, says of its place. */
export interface Place {
  region: string | undefined;
  account: string | undefined;
}

/** What a call about a thing has answered: null where the answer is that there is nothing. */
export type CallAnswer = (call: ThingCall, thing: Item, values: Readonly<Record<string, unknown>>) => Item | null | undefined;

/** How a thing is told. */
export interface Telling {
  place: Place;
  /** Where it stands in the report. */
  at: string;
  /** A part of it only. */
  summary?: boolean | undefined;
  within?: Found | undefined;
  /** Answers to calls about it; without, what they tell is open. */
  answerTo?: CallAnswer | undefined;
}

const hasAll = (item: Item, names: readonly string[]): boolean => names.every((name) => valuesAt(item, name).length > 0);

/** The region of an availability zone. */
const regionOfZone = (zone: unknown): string | undefined =>
  typeof zone === 'string' ? /^([a-z]{2}(?:-[a-z]+)+-\d+)[a-z]$/.exec(zone)?.[1] : undefined;

/** The resources that a thing tells, as Terraform would. */
export function resourcesOf(table: CloudTable, thing: Thing, item: Item, telling: Telling): TerraformInstance[] {
  const { place, at, within, summary } = telling;
  const zone = valuesAt(item, 'AvailabilityZone')[0] ?? valuesAt(item, 'Placement.AvailabilityZone')[0];
  const owner = valuesAt(item, 'OwnerId')[0];
  const found: Found = {
    item,
    within,
    region: regionOfZone(zone) ?? place.region,
    account: typeof owner === 'string' && /^\d{12}$/.test(owner) ? owner : place.account,
    summary,
  };
  const own = instanceOf(thing, found, item, at, table.all);
  const instances = [own, ...moreOf(thing.more, found, item, at)];
  // what may be there is neither told nor told to be missing
  own.unknown.push(
    ...thing.more.filter((made) => valuesAt(item, made.each).some((inner) => mayBeMade(made, inner))).map(({ type }) => [type]),
  );
  const tells = summary === true ? [] : [...thing.tells];
  for (const call of thing.calls) {
    const answer = telling.answerTo?.(call, item, own.values);
    if (answer === undefined) {
      own.unknown.push(...call.more.map(({ type }) => [type]));
      continue;
    }
    tells.push(...call.more.map(({ type }) => type));
    const inside: Found = { ...found, item: answer ?? {}, within: { ...found, item: { ...item, ...own.values } }, summary: false };
    const told = answer === null ? nothingOf(call) : blockOf(inside, answer, call.values, call.same);
    for (const [name, value] of Object.entries(told)) if (value !== null || own.values[name] === undefined) own.values[name] = value;
    if (answer !== null) instances.push(...moreOf(call.more, inside, answer, `${at}.${call.call[0]!}`));
  }
  own.tells = tells;
  return instances;
}

const nothingOf = ({ values, same }: ThingCall): Record<string, null> =>
  Object.fromEntries(
    [...Object.keys(values), ...same.map((entry) => (typeof entry === 'string' ? entry : entry.block))].map((name) => [name, null]),
  );

/** Nobody knows whether there is one. */
const mayBeMade = ({ has }: Pick<Made, 'has'>, inner: unknown): boolean =>
  isOpen(inner) || (isItem(inner) && has.some((name) => mayBeNone(valuesAt(inner, name)[0])));

function moreOf(more: Thing['more'], found: Found, item: Item, at: string): TerraformInstance[] {
  return more.flatMap((made) =>
    valuesAt(item, made.each).flatMap((inner, n) => {
      if (
        !isItem(inner) ||
        mayBeMade(made, inner) ||
        !fits(made, inner) ||
        made.has.some((name) => [false, ''].includes(valuesAt(inner, name)[0] as string))
      )
        return [];
      // what stands in the thing itself is not one level deeper
      const holder = made.each === '.' ? { ...found, item, within: found.within } : found;
      return [instanceOf(made, holder, inner, `${at}.${made.each}[${n}]`)];
    }),
  );
}

function instanceOf(made: Made, found: Found, item: Item, position: string, all: Readonly<Values> = {}): TerraformInstance {
  const { type, values: sources, same, never } = made;
  const told = blockOf(found, item, { ...all, ...sources }, same);
  const values = { ...told, ...Object.fromEntries(never.map((name) => [name, told[name] ?? null])) };
  const name = [values['id'], values['name'], values['arn']].find((value) => typeof value === 'string') ?? position;
  return {
    address: `${type}.${plainText(name)}`,
    type,
    name: plainText(name),
    values,
    unknown: openPathsOf(made),
    sensitive: [],
    position,
  };
}

const opened = new WeakMap<Made, (string | number)[][]>();

/** What the sources of a resource leave open: whatever they do not name, of it and of its blocks. */
function openPathsOf(made: Made): (string | number)[][] {
  let paths = opened.get(made);
  if (paths === undefined) {
    paths = [['*'], ...blockPaths(made.values, made.same, []).map((path) => [...path, '*'])];
    opened.set(made, paths);
  }
  return [...paths];
}

function blockPaths(values: Readonly<Values> = {}, same: readonly Same[] = [], before: readonly string[]): string[][] {
  const ofSame = same.flatMap((entry) =>
    typeof entry === 'string' ? [] : [[...before, entry.block], ...blockPaths({}, entry.same, [...before, entry.block])],
  );
  const ofValues = Object.entries(values).flatMap(([name, source]) =>
    typeof source === 'object' && !Array.isArray(source) && ('block' in source || 'blocks' in source)
      ? [[...before, name], ...blockPaths(source.values, source.same, [...before, name])]
      : [],
  );
  return [...ofSame, ...ofValues];
}

const kinds = new Map<string, Map<string, Thing[]>>();

/** The line of a kind of thing that an export names, whatever the case; undefined for one that no line knows. */
export function thingOf(provider: CloudTable['provider'], kind: string, item: Item, wrapper?: Item): Thing | undefined {
  let known = kinds.get(provider);
  if (known === undefined) {
    known = new Map();
    for (const thing of cloudTable(provider).things)
      for (const name of thing.config) known.set(name.toLowerCase(), [...(known.get(name.toLowerCase()) ?? []), thing]);
    kinds.set(provider, known);
  }
  return known.get(kind.toLowerCase())?.find((thing) => fits(thing, item, wrapper));
}

/** Whether an item is what a line speaks of: it has what the line asks for, with the values that it names. */
export const fits = (thing: Pick<Made, 'has' | 'when'>, item: Item, wrapper?: Item): boolean =>
  hasAll(item, thing.has) &&
  Object.entries(thing.when).every(([path, pattern]) => {
    const within = wrapper === undefined ? undefined : { item: wrapper, region: undefined, account: undefined };
    const value = valueOf({ item, within, region: undefined, account: undefined }, { first: [path] });
    return new RegExp(pattern, 'i').test(value === undefined ? '' : plainText(value));
  });
