import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { EdgeKind, Provider } from '../schema/model.js';
import { CONTAINER_IMAGE, readEdges, type EdgeLine } from './edge-files.js';
import { CatalogError } from './families.js';
import { readImageName } from './image-name.js';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** The folder of the edges' files. */
export const EDGES_FOLDER = here('./edges');
/** What the build writes beside this module, so that a start reads one file. */
export const BUILT_EDGES = here('./edges.json');

/** Reads the files of edges. @throws CatalogError with every mistake in them */
export function readAllEdges(folder = EDGES_FOLDER): EdgeLine[] {
  const mistakes: string[] = [];
  const lines = readEdges(folder, mistakes);
  if (mistakes.length > 0) throw new CatalogError(mistakes);
  return lines;
}

let loaded: { lines: readonly EdgeLine[]; byType: ReadonlyMap<string, readonly EdgeLine[]>; named: ReadonlySet<string> } | undefined;

function all(): NonNullable<typeof loaded> {
  if (loaded === undefined) {
    const lines = existsSync(BUILT_EDGES) ? (JSON.parse(readFileSync(BUILT_EDGES, 'utf8')) as EdgeLine[]) : readAllEdges();
    const byType = new Map<string, EdgeLine[]>();
    for (const line of lines) byType.set(line.type, [...(byType.get(line.type) ?? []), line]);
    const named = new Set(lines.flatMap(({ from, to }) => [...(from?.types ?? []), ...(to?.types ?? [])]));
    loaded = { lines, byType, named };
  }
  return loaded;
}

/** Every line of the files. Read once a process. */
export const edgeLines = (): readonly EdgeLine[] => all().lines;

/** The lines of a resource type. */
export const edgeLinesOf = (type: string): readonly EdgeLine[] => all().byType.get(type) ?? [];

/** What a reference of a resource by an attribute to another means; undefined where no line says so. `[0]` and `[]` are the same. */
export function meaningOf(type: string, via: string, target: string): { kind: EdgeKind; reversed: boolean } | undefined {
  const path = plain(via);
  for (const { kind, from, to } of edgeLinesOf(type)) {
    const end = from ?? to;
    if ((from && to) || !end || plain(end.path) !== path || !end.types.includes(target)) continue;
    return { kind, reversed: from !== null };
  }
  return undefined;
}

/** An attribute path without what says that a part is a list. */
export const plain = (path: string): string => path.replace(/\[\d*\]/g, '');

/** What edges need of an asset. */
export interface Linked {
  readonly resource_uid: string;
  readonly resource_type: string;
  readonly provider: Provider;
  readonly account_id?: string | null;
  readonly configuration: Readonly<Record<string, unknown>> | null;
}

/** Attributes by which a resource is named in all the world, and those by which it is named in its account alone. */
const GLOBAL = [
  'id',
  'arn',
  'self_link',
  'crn',
  'unique_id',
  'email',
  'dns_name',
  'domain_name',
  'public_ip',
  'ip_address',
  'address',
  'key_id',
  'principal_id',
  'bucket_domain_name',
  'bucket_regional_domain_name',
  'url',
];
const LOCAL = [
  'name',
  'bucket',
  'function_name',
  'cluster_name',
  'cluster_identifier',
  'identifier',
  'user_name',
  'key_name',
  'group_name',
  'instance_id',
  'account_id',
  'dataset_id',
  'role_name',
];

const MOST_KEYS = 32;
/** Longer values are documents, not names. */
const LONGEST = 1_024;

/** A name as all write it who mean the same. */
function written(provider: Provider, value: string): string {
  const text = value.replace(
    /^(?:https:)?\/\/(?:www\.googleapis\.com\/\w+\/(?:v1|beta|alpha)\/|\w+\.googleapis\.com\/(?:\w+\/(?:v1|beta)\/)?)/,
    '',
  );
  // Azure writes ids in any case, and DNS is the same in any
  return provider === 'azure' ? text.toLowerCase() : text.replace(/\.$/, '');
}

/** The names of an image: by its digest, which means one image in all registries, else by registry, repository and tag. */
function imageNames(value: string): string[] {
  const { registry, repository, tag, digest } = readImageName(value);
  return repository === null ? [] : [worldwide(CONTAINER_IMAGE, digest ?? `${registry}/${repository}:${tag}`)];
}

const worldwide = (type: string, name: string): string => `${type} ${name}`;
const inAccount = (type: string, account: string | null | undefined, name: string): string => `${type}@${account ?? ''} ${name}`;

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= LONGEST && !value.includes('${') && !value.includes('\n');

/** The names under which references find an asset; none for a type that no line refers to. */
export function namesOf({ resource_uid, resource_type, provider, account_id, configuration }: Linked): string[] {
  if (!all().named.has(resource_type)) return [];
  if (resource_type === CONTAINER_IMAGE) {
    const { registry, repository, tag } = readImageName(resource_uid);
    const tagged = tag === null ? [] : [worldwide(CONTAINER_IMAGE, `${registry}/${repository}:${tag}`)];
    return [...new Set([...tagged, ...[resource_uid, ...valuesAt(configuration, 'digests')].flatMap(imageNames)])].slice(0, MOST_KEYS);
  }
  const keys = new Set([worldwide(resource_type, written(provider, resource_uid))]);
  const local = new Set(LOCAL.map((name) => configuration?.[name]).filter(isName));
  for (const name of GLOBAL) {
    const value = configuration?.[name];
    // an id that is a name is unique in its account alone
    if (isName(value) && !local.has(value)) keys.add(worldwide(resource_type, written(provider, value)));
  }
  // the last part of a bucket's name is its own in all the world
  if (/_s3_bucket$|google_storage_bucket$/.test(resource_type))
    for (const value of local) keys.add(worldwide(resource_type, written(provider, value)));
  for (const value of local) keys.add(inAccount(resource_type, account_id, written(provider, value)));
  return [...keys].slice(0, MOST_KEYS);
}

/** What one line finds in an asset: by which names the resources at its ends are found; null for the asset itself. */
export interface Reference {
  readonly kind: EdgeKind;
  readonly via: string;
  readonly from: readonly string[][] | null;
  readonly to: readonly string[][] | null;
}

/** At most so many values of an attribute are followed. */
const MOST_VALUES = 500;

/** The texts that stand at a path of a configuration; what is behind a document of JSON is read in it. */
export function valuesAt(configuration: unknown, path: string): string[] {
  let found: unknown[] = [configuration];
  for (const step of plain(path).split('.'))
    found = found.slice(0, MOST_VALUES).flatMap((value) => {
      const parts = typeof value === 'string' ? documentIn(value) : [value];
      return parts.flatMap((part) => {
        const next = typeof part === 'object' && part !== null ? (part as Record<string, unknown>)[step] : undefined;
        return Array.isArray(next) ? (next as unknown[]) : [next];
      });
    });
  return found.filter(isName).slice(0, MOST_VALUES);
}

function documentIn(text: string): unknown[] {
  if (!/^\s*[[{]/.test(text)) return [];
  try {
    const document: unknown = JSON.parse(text);
    return Array.isArray(document) ? document : [document];
  } catch {
    return [];
  }
}

/** By which names the resources are found that an attribute refers to, a list a value. */
function namesAt({ provider, account_id, configuration }: Linked, end: EdgeLine['from']): string[][] | null {
  if (end === null) return null;
  return [...new Set(valuesAt(configuration, end.path))].map((value) => {
    const name = written(provider, value);
    return end.types.flatMap((type) =>
      type === CONTAINER_IMAGE ? imageNames(value) : [worldwide(type, name), inAccount(type, account_id, name)],
    );
  });
}

/** What an asset's attributes refer to, by the lines of its type. */
export function referencesOf(asset: Linked): Reference[] {
  if (asset.configuration === null) return [];
  return edgeLinesOf(asset.resource_type)
    .map((line) => ({
      kind: line.kind,
      via: [line.from?.path, line.to?.path].filter(Boolean).join(' + '),
      from: namesAt(asset, line.from),
      to: namesAt(asset, line.to),
    }))
    .filter(({ from, to }) => (from === null || from.length > 0) && (to === null || to.length > 0));
}
