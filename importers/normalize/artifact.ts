import type { ImportOptions } from '../types.js';
import { inferProvider, type PlaceDraft } from './observation.js';

/** What a scanner of code and packages looked at, as far as its report tells. */
export interface ScannedCode {
  /** The address of the repository. */
  repository?: string | undefined;
  /** The directory, where it is more than `.`. */
  root?: string | undefined;
  /** What the scanner calls the project. */
  project?: string | undefined;
}

/** The address of a repository without user, query and `.git`. */
export function repositoryName(uri: string | undefined): string | undefined {
  const name = uri
    ?.trim()
    .replace(/^([a-z+]+:\/\/)[^/@]*@/i, '$1')
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
  return name === '' ? undefined : name;
}

/** The name of a directory that says what is in it; undefined for those that build machines use for everything. */
export function directoryName(path: string | undefined): string | undefined {
  const name = path?.replace(/\\/g, '/').replace(/\/+$/, '').split('/').at(-1);
  return name === undefined || /^(?:\.?|src|code|app|workspace|project|home|tmp)$/i.test(name) ? undefined : name;
}

/** The repository of findings in code: what the caller names, else what the report does. Files are names of findings, not resources. */
export function codePlace({ repository, root, project }: ScannedCode, options: ImportOptions): PlaceDraft {
  return outsidePlace(
    options.artifact ?? repositoryName(repository) ?? project ?? directoryName(root) ?? 'code',
    'code_repository',
    options,
  );
}

/** What no cloud names: code, a host, a container on one. A scan of it tells of nothing else. */
export function outsidePlace(uid: string, type: string, options: ImportOptions, name = uid): PlaceDraft {
  return {
    resource_uid: uid,
    resource_type: type,
    resource_name: name,
    ...inferProvider(undefined, options),
    account_id: options.account_id,
    region: options.region,
    artifact: uid,
  };
}

/** The image of findings in one, by the name it was scanned under: a new build of the same tag keeps its findings. */
export function imagePlace(image: string, options: ImportOptions, metadata: Record<string, unknown> = {}): PlaceDraft {
  const { provider, provider_metadata } = inferProvider(image, options);
  return {
    resource_uid: image,
    resource_type: 'container_image',
    resource_name: image,
    provider,
    account_id: options.account_id,
    region: options.region,
    artifact: image,
    provider_metadata: { ...provider_metadata, ...metadata },
  };
}

/** The parts of an image's name, as scanners that write them apart do. */
export interface ImageParts {
  /** The host of the registry, or its address. */
  registry?: string | undefined;
  repository: string;
  tag?: string | undefined;
  digest?: string | undefined;
}

/** An image as people write it where they use it, Docker Hub's without its host, so that findings of all tools lie in one image. */
export function imageReference({ registry, repository, tag, digest }: ImageParts): string {
  const host = registry?.replace(/^https?:\/\//, '').replace(/\/.*$/, '');
  const isHub = host === undefined || host === '' || /^(?:index\.|registry-1\.|registry\.hub\.)?docker\.(?:io|com)$/.test(host);
  const name = isHub ? repository.replace(/^library\//, '') : `${host}/${repository}`;
  if (tag !== undefined) return `${name}:${tag}`;
  return digest === undefined ? name : `${name}@${digest}`;
}
