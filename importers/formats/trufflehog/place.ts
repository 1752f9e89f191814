import { codePlace, imagePlace } from '../../normalize/artifact.js';
import { snakeCase } from '../../normalize/cloud.js';
import { inferProvider, type PlaceDraft } from '../../normalize/observation.js';
import { numberAt, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportOptions } from '../../types.js';

/** Where a secret was found, as its source tells. */
export interface TruffleHogPlace {
  engine: 'secops' | 'datasec';
  place: PlaceDraft;
  file: string | undefined;
  line: number | undefined;
  commit: string | undefined;
  link: string | undefined;
}

/** Sources that are repositories of code, whatever hosts them. */
const REPOSITORIES = new Set([
  'git',
  'github',
  'gitlab',
  'bitbucket',
  'azurerepos',
  'gerrit',
  'huggingface',
  'githubexperimental',
  'githubrealtime',
]);
/** Sources that are files of the scanned machine: the checkout of a repository. */
const FILES = new Set(['filesystem', 'stdin', 'syslog', 'test']);

/** The resource that a source names: a repository, an image, a bucket, or what a service holds. */
export function placeOfSource(kind: string, data: JsonObject, options: ImportOptions): TruffleHogPlace {
  const source = kind.toLowerCase();
  const link = textAt(data, 'link');
  const found = {
    file: textAt(data, 'file') ?? textAt(data, 'path'),
    line: numberAt(data, 'line') || undefined,
    commit: textAt(data, 'commit'),
    link,
  };
  if (REPOSITORIES.has(source)) {
    const repository = textAt(data, 'repository') ?? textAt(data, 'resource_type_id');
    return { ...found, engine: 'secops', place: codePlace({ repository, root: repository }, options) };
  }
  if (FILES.has(source)) return { ...found, engine: 'secops', place: codePlace({}, options) };
  if (source === 'docker') {
    const [image = 'image', tag] = [textAt(data, 'image'), textAt(data, 'tag')];
    const name = tag === undefined || image.includes('@') || image.endsWith(`:${tag}`) ? image : `${image}:${tag}`;
    return { ...found, engine: 'secops', place: imagePlace(name, options, { layer: textAt(data, 'layer') }) };
  }
  return { ...found, engine: 'datasec', file: found.file ?? link, place: storePlace(source, kind, data, options) };
}

/** Buckets are named as the inventory names them; what a service holds, by the service and the part of it. */
function storePlace(source: string, kind: string, data: JsonObject, options: ImportOptions): PlaceDraft {
  const bucket = textAt(data, 'bucket');
  const named = { account_id: options.account_id, region: options.region };
  if (source === 's3' && bucket !== undefined)
    return {
      ...named,
      resource_uid: `arn:aws:s3:::${bucket}`,
      resource_type: 'aws_s3_bucket',
      provider: 'aws',
      artifact: `arn:aws:s3:::${bucket}`,
    };
  if (source === 'gcs' && bucket !== undefined) {
    const uid = `//storage.googleapis.com/${bucket}`;
    return { ...named, resource_uid: uid, resource_type: 'google_storage_bucket', provider: 'gcp', artifact: uid };
  }
  const part = [
    'workspace_uuid',
    'workspace',
    'channel_id',
    'space',
    'project',
    'index',
    'job',
    'vcs_type',
    'organization',
    'url',
    'container',
  ]
    .map((key) => textAt(data, key))
    .find((value) => value !== undefined);
  const uid = options.artifact ?? (part === undefined ? source : `${source}/${part}`);
  return {
    ...named,
    resource_uid: uid,
    resource_type: `${snakeCase(kind) || 'service'}_content`,
    ...inferProvider(undefined, options),
    artifact: uid,
  };
}
