import type { ImportItem, ImportOptions } from '../types.js';
import { gcpKind } from './gcp-kind.js';
import { isItem, type Item } from './item.js';
import { resourcesOf, thingOf } from './map.js';
import { assetsOf } from './read.js';
import { cloudTable } from './table.js';

/** Project number -> project id, of the projects that a report tells. */
export type ProjectIds = ReadonlyMap<string, string>;

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []);
const withoutHost = (name: string): string => name.replace(/^\/\/[^/]+\//, '');

/** What an asset of the inventory consists of beside its resource: each is a part of its own. */
const PARTS: readonly (readonly [names: readonly string[], kind: (type: string) => string])[] = [
  [['iamPolicy', 'iam_policy', 'policy'], (type) => `${type}#iam_policy`],
  [['orgPolicy', 'org_policy'], (type) => `${type}#org_policy`],
  [['accessPolicy', 'access_policy'], () => 'accesscontextmanager.googleapis.com/AccessPolicy'],
  [['accessLevel', 'access_level'], () => 'accesscontextmanager.googleapis.com/AccessLevel'],
  [['servicePerimeter', 'service_perimeter'], () => 'accesscontextmanager.googleapis.com/ServicePerimeter'],
];

/**
 * The assets that one of Google Cloud's asset inventory tells (an export, a list, a search), or a resource that one of its interfaces lists; none where the
 * table does not know it. @param at where it stands in the report
 */
export function* gcpAssets(record: Item, at: string, format: string, options: ImportOptions, projects: ProjectIds): Generator<ImportItem> {
  const asset = isItem(record['asset']) ? record['asset'] : record;
  const type = textOf(asset['assetType']) ?? textOf(asset['asset_type']);
  const name = textOf(asset['name'])?.startsWith('//') ? textOf(asset['name']) : textOf(asset['resource']);
  if (type === undefined || !name?.startsWith('//')) return yield* listedAsset(asset, at, format, options, projects);
  const wrapper = wrapperOf(asset, name, options, projects);
  const resource = isItem(asset['resource']) ? asset['resource'] : undefined;
  if (isItem(resource?.['data'])) yield* partOf(type, resource['data'], wrapper, `${at}.resource.data`, format, options);
  let told = resource !== undefined;
  for (const [members, kind] of PARTS)
    for (const member of members) {
      const value = asset[member];
      const parts: unknown[] = Array.isArray(value) ? (value as unknown[]) : [value];
      for (const [n, part] of parts.filter(isItem).entries()) {
        told = true;
        yield* partOf(kind(type), part, wrapper, `${at}.${member}[${n}]`, format, options);
      }
    }
  // what a search finds is named and placed, no more
  if (!told) yield* partOf(type, asset, wrapper, at, format, options, true);
}

function* listedAsset(resource: Item, at: string, format: string, options: ImportOptions, projects: ProjectIds): Generator<ImportItem> {
  const known = gcpKind(resource, options);
  if (known !== undefined) yield* partOf(known.kind, resource, wrapperOf(resource, known.name, options, projects), at, format, options);
}

function* partOf(
  kind: string,
  item: Item,
  wrapper: Item,
  at: string,
  format: string,
  options: ImportOptions,
  summary = false,
): Generator<ImportItem> {
  const thing = thingOf('gcp', kind, summary ? { ...item, ...SUMMARIZED } : item, wrapper);
  if (thing === undefined) return;
  const account = textOf(wrapper['project']) ?? options.account_id;
  const outer = { item: wrapper, region: undefined, account };
  const instances = resourcesOf(cloudTable('gcp'), thing, item, { place: { account, region: options.region }, at, within: outer, summary });
  yield* assetsOf(instances, format, { ...options, ...(account === undefined ? {} : { account_id: account }) });
}

/** A search tells nothing of what tells kinds of services apart. */
const SUMMARIZED: Item = { template: { template: {} }, gceSetup: {} };

/** What is said of an asset beside its resource: `^` of the table. */
function wrapperOf(asset: Item, name: string, options: ImportOptions, projects: ProjectIds): Item {
  const resource = isItem(asset['resource']) ? asset['resource'] : {};
  const ancestors = textsOf(asset['ancestors']);
  const holder = textOf(resource['parent']) ?? textOf(asset['parentFullResourceName']);
  const isContainer = /^\/\/cloudresourcemanager\.googleapis\.com\//.test(name);
  const parent = holder === undefined ? ancestors[isContainer ? 1 : 0] : withoutHost(holder);
  const project = [name, textOf(asset['project']), holder, ...ancestors]
    .map((text) => (text === undefined ? undefined : /(?:^|\/)projects\/([^/]+)/.exec(text)?.[1]))
    .find((id) => id !== undefined && id !== '_');
  return {
    name,
    resource: withoutHost(name),
    parent,
    project: project === undefined ? (isContainer ? undefined : options.account_id) : (projects.get(project) ?? project),
    location: textOf(resource['location']) ?? textOf(asset['location']) ?? /\/locations\/([^/]+)/.exec(name)?.[1],
  };
}

/** Notes the number of a project, where a record tells one. */
export function noteProject(record: Item, projects: Map<string, string>): void {
  const resource = record['resource'];
  const data = isItem(resource) && isItem(resource['data']) ? resource['data'] : record;
  const [id, number] = [data['projectId'], data['projectNumber']];
  if (typeof id === 'string' && (typeof number === 'string' || typeof number === 'number')) projects.set(String(number), id);
}
