import type { ImportItem } from '../importers/types.js';
import { OPEN_WORLD } from '../schema/unknown-paths.js';
import type { Subject, Surroundings } from './cel/asset-value.js';
import { subjectOf } from './subject.js';
import type { Rule } from './types.js';

type Configuration = Readonly<Record<string, unknown>>;

const CALL = /\b(?:companions|resources)\(\s*asset\s*,\s*"([^"]+)"/g;
/** Characters of a text that may name a resource: the longest identifiers of providers are shorter. */
const MOST_OF_NAME = 1_024;
const IDENTITIES = [
  'id',
  'arn',
  'name',
  'bucket',
  'self_link',
  'key_id',
  'crn',
  'identifier',
  'cluster_identifier',
  'function_name',
  'ocid',
];

/** The resource types that rules look at beside the resource that they judge. */
export function companionTypes(rules: readonly Pick<Rule, 'expression' | 'applies'>[]): Set<string> {
  const types = new Set<string>();
  for (const { expression, applies } of rules) {
    for (const [, named = ''] of `${expression} ${applies ?? ''}`.matchAll(CALL))
      for (const type of named.split(',')) types.add(type.trim());
  }
  return types;
}

/**
 * What surrounds the resources of one report or scan run. It keeps the configurations of companion types only, so that it stays small
 * beside an inventory of any size; a second read of the inventory judges the resources.
 */
export class Inventory implements Surroundings {
  private readonly byType = new Map<string, Subject[]>();
  private readonly listed = new Set<string>();
  private readonly byUid = new Map<string, Subject>();
  private readonly referring = new Map<string, string[]>();
  private readonly values = new Map<string, Map<string, Subject[]>>();

  constructor(private readonly kept: ReadonlySet<string>) {}

  /** Takes note of a resource. */
  add(subject: Subject): void {
    if (!this.kept.has(subject.resource_type)) return;
    const list = this.byType.get(subject.resource_type);
    if (list === undefined) this.byType.set(subject.resource_type, [subject]);
    else list.push(subject);
    this.byUid.set(subject.resource_uid, subject);
    this.values.clear();
  }

  /** Takes note that one resource refers to another; only what companions refer to is kept. */
  refer(from: string, to: string): void {
    if (!this.byUid.has(from)) return;
    const list = this.referring.get(to);
    if (list === undefined) this.referring.set(to, [from]);
    else list.push(from);
  }

  /** Takes note of types of which the report tells all resources, were it none. */
  list(types: readonly string[]): void {
    for (const type of types) this.listed.add(type);
  }

  companions(subject: Subject, types: readonly string[], attribute: string): readonly Configuration[] | undefined {
    const found = new Set<Subject>();
    for (const uid of this.referring.get(subject.resource_uid) ?? []) {
      const companion = this.byUid.get(uid)!;
      if (types.includes(companion.resource_type) && refersBy(companion, attribute)) found.add(companion);
    }
    const identities = identitiesOf(subject);
    for (const type of types) {
      for (const identity of identities) for (const companion of this.named(type, attribute).get(identity) ?? []) found.add(companion);
    }
    if (found.size === 0 && this.isOpen(subject, types)) return undefined;
    return [...found].map(({ configuration }) => configuration);
  }

  resources(subject: Subject, types: readonly string[]): readonly Configuration[] | undefined {
    if (this.isOpen(subject, types)) return undefined;
    const account = subject.account_id;
    return types
      .flatMap((type) => this.byType.get(type) ?? [])
      .filter(({ account_id }) => account === undefined || account_id === undefined || account_id === account)
      .map(({ configuration }) => configuration);
  }

  /** Whether the source of a resource leaves open what there is of these types: it tells a part of the estate, and none of them. */
  private isOpen({ unknown_paths = [] }: Subject, types: readonly string[]): boolean {
    if (unknown_paths.length === 0) return false;
    if (types.some((type) => unknown_paths.includes(type))) return true;
    return unknown_paths.includes(OPEN_WORLD) && !types.some((type) => this.listed.has(type) || this.byType.has(type));
  }

  /** Resources of a type by what their attribute says, where it is written out; by all that they say where the attribute is empty. */
  private named(type: string, attribute: string): Map<string, Subject[]> {
    const key = `${type}\n${attribute}`;
    let index = this.values.get(key);
    if (index === undefined) {
      index = new Map();
      for (const subject of this.byType.get(type) ?? []) {
        const { configuration } = subject;
        for (const value of new Set(attribute === '' ? textsIn(configuration) : valuesAt(configuration, attribute.split('.')))) {
          if (typeof value !== 'string' || value === '' || value.includes('${')) continue;
          const list = index.get(value);
          if (list === undefined) index.set(value, [subject]);
          else list.push(subject);
        }
      }
      this.values.set(key, index);
    }
    return index;
  }
}

/**
 * Reads a report for what surrounds its resources.
 * @param kept the resource types that rules look at beside the one that they judge (companionTypes)
 * @param onItem called for every item of the report
 */
export async function readInventory(
  items: AsyncIterable<ImportItem>,
  kept: ReadonlySet<string>,
  onItem: () => Promise<void> | void = () => {},
): Promise<Inventory> {
  const inventory = new Inventory(kept);
  const edges: [string, string][] = [];
  for await (const item of items) {
    if (item.kind === 'asset' && kept.has(item.asset.resource_type)) inventory.add(subjectOf(item.asset));
    else if (item.kind === 'listed') inventory.list(item.types);
    else if (item.kind === 'edge') edges.push([item.edge.from, item.edge.to]);
    await onItem();
  }
  for (const [from, to] of edges) inventory.refer(from, to);
  return inventory;
}

function identitiesOf({ resource_uid, configuration }: Subject): Set<string> {
  const identities = new Set([resource_uid]);
  for (const key of IDENTITIES) {
    const value = configuration[key];
    if (typeof value === 'string' && value !== '' && !value.includes('${')) identities.add(value);
  }
  return identities;
}

/** Whether a reference that is known to exist can be the attribute's: it is one, or the source does not show it yet. */
function refersBy({ configuration }: Subject, attribute: string): boolean {
  if (attribute === '') return true;
  const values = valuesAt(configuration, attribute.split('.'));
  return values.length === 0 || values.some((value) => typeof value !== 'string' || value.includes('${'));
}

/** The texts in a configuration, wherever they stand, that are short enough to name something. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    if (value.length <= MOST_OF_NAME) yield value;
  } else if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) yield* textsIn(member);
}

/** What stands at a path; lists on the way and at its end are gone through. */
export function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item: unknown) => valuesAt(item, path));
  const [step, ...rest] = path;
  if (step === undefined) return [value];
  const name = step.replace('[]', '');
  return typeof value === 'object' && Object.hasOwn(value, name) ? valuesAt((value as Configuration)[name], rest) : [];
}
