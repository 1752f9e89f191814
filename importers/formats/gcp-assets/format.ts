import { gcpAssets, noteProject } from '../../cloud/gcp.js';
import { isItem, type Item } from '../../cloud/item.js';
import { once } from '../../cloud/once.js';
import { eachRecord, firstRecord, isArrayReport, readRecords } from '../../cloud/records.js';
import { readTopLevel, type TopLevel } from '../../readers/json/top-level.js';
import { readHead } from '../../readers/source.js';
import type { ImportItem, ImportOptions, ReportFormat, ReportSource } from '../../types.js';

const FORMAT = 'gcp_assets';
const LISTS = ['assets', 'results', 'items', 'resources'];
const ASSET = /"asset_?[tT]ype"\s*:\s*"[a-z]+\.googleapis\.com\//;
const KIND = /"kind"\s*:\s*"(?:compute|sql|storage|bigquery|dns)#\w+"/;
const LINK = /"selfLink"\s*:\s*"https:\/\/(?:www|compute|container|sqladmin)\.googleapis\.com\//;

/**
 * Google Cloud's asset inventory (an export as JSON lines, `gcloud asset list`, `search-all-resources`, `search-all-iam-policies`), and lists of resources that
 * say what they are (`gcloud compute … list --format=json`, `gcloud sql instances list`), and an IAM policy as `get-iam-policy` prints it. What no line of
 * `importers/cloud/tables/gcp.yaml` knows is a record without an asset.
 */
export const format: ReportFormat = {
  name: FORMAT,
  label: "Google Cloud's asset inventory and lists (gcloud asset …, gcloud … list --format=json)",
  engines: ['di', 'check', 'iam', 'network-security', 'encryption', 'dbsec', 'datasec', 'container-security', 'ai-security'],
  inventory: true,
  detection:
    'JSON objects with a `name` that begins with `//` and an `assetType` or `asset_type`, in lines, in an array, in `assets` or in `results`; objects with a `kind` such as `compute#instance`; or one with `bindings` of roles.',
  produce: 'gcloud asset export --project PROJECT --content-type resource --output-path gs://BUCKET/assets.json',
  detect: (head) => {
    const top = readTopLevel(head);
    if (isPolicy(top)) return true;
    const lists = LISTS.map((list) => top.get(list) ?? '').filter((value) => /^[[{]/.test(value));
    if (lists.some((value) => ASSET.test(value) || KIND.test(value))) return true;
    if (/^"(?:compute|sql|storage|bigquery|dns)#\w+"/.test(top.get('kind') ?? '')) return true;
    return isAsset(firstRecord(head));
  },
  read: readAssets,
};

const isAsset = (top: TopLevel): boolean =>
  ((top.has('assetType') || top.has('asset_type')) && (/^"\/\//.test(top.get('name') ?? '') || /^"\/\//.test(top.get('resource') ?? ''))) ||
  KIND.test(`"kind":${top.get('kind') ?? ''}`) ||
  LINK.test(`"selfLink":${top.get('selfLink') ?? ''}`);
const isPolicy = (top: TopLevel): boolean => /^\[\s*\{[^}]*"(?:role|members)"\s*:/.test(top.get('bindings') ?? '') && top.has('etag');

async function* readAssets(source: ReportSource, options: ImportOptions): AsyncGenerator<ImportItem> {
  const head = await readHead(source);
  const top = readTopLevel(head);
  const list = LISTS.find((name) => top.get(name)?.startsWith('['));
  const paths = isArrayReport(head) ? ['$[*]'] : list === undefined || isAsset(top) ? ['$'] : [`${list}[*]`];
  const projects = new Map<string, string>();
  await eachRecord(source, paths, (record) => noteProject(record, projects));
  yield* once(
    readRecords(source, paths, function* (record, at) {
      for (const [resource, place] of resourcesOf(record, at, options)) yield* gcpAssets(resource, place, FORMAT, options, projects);
    }),
  );
}

/** What a record holds: itself, or the lists of an aggregated list (`items: {"zones/…": {"instances": […]}}`); of a policy alone the resource is the caller's to name. */
function* resourcesOf(record: Item, at: string, options: ImportOptions): Generator<[Item, string]> {
  if (Array.isArray(record['bindings']) && record['name'] === undefined && record['resource'] === undefined) {
    const resource = options.artifact ?? (options.account_id === undefined ? undefined : `projects/${options.account_id}`);
    const asset = resource === undefined ? undefined : containerOf(resource);
    if (asset !== undefined) yield [{ ...asset, iamPolicy: record }, at];
    return;
  }
  if (!isItem(record['items'])) return yield [record, at];
  for (const [place, held] of Object.entries(record['items'])) {
    if (!isItem(held)) continue;
    for (const [name, entries] of Object.entries(held))
      if (Array.isArray(entries))
        for (const [n, entry] of (entries as unknown[]).entries()) if (isItem(entry)) yield [entry, `${at}.items.${place}.${name}[${n}]`];
  }
}

const CONTAINERS: Readonly<Record<string, string>> = { projects: 'Project', folders: 'Folder', organizations: 'Organization' };

function containerOf(resource: string): Item | undefined {
  const path = resource.replace(/^\/\/[^/]+\//, '');
  const [collection = '', id] = path.split('/');
  if (resource.startsWith('//storage.googleapis.com/') || /^gs:\/\//.test(resource))
    return { name: `//storage.googleapis.com/${path.replace(/^gs:\/\//, '')}`, assetType: 'storage.googleapis.com/Bucket' };
  const kind = CONTAINERS[collection];
  if (kind === undefined || id === undefined) return undefined;
  return { name: `//cloudresourcemanager.googleapis.com/${collection}/${id}`, assetType: `cloudresourcemanager.googleapis.com/${kind}` };
}
