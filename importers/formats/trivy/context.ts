import { asObject, listAt, objectAt, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import { readJson } from '../../readers/json/records.js';
import type { JsonItem } from '../../readers/json/item.js';
import type { PlaceDraft } from '../../normalize/observation.js';
import type { ReportSource } from '../../types.js';

/** Lists of scanned Kubernetes resources: of all reports, of summaries, and of trivy before 0.35. */
const RESOURCE_LISTS = ['Resources', 'Findings', 'Vulnerabilities', 'Misconfigurations'] as const;
const KINDS = ['Vulnerabilities', 'Misconfigurations', 'Secrets', 'Licenses'] as const;

/** A kind of records. */
export type TrivyKind = (typeof KINDS)[number];

/** The lists of results that a report may have: plain, of a cluster's resources, and the bare array of trivy before 0.20. */
const RESULT_LISTS = ['$[*]', 'Results[*]', ...RESOURCE_LISTS.map((list) => `${list}[*].Results[*]`)];
/** The paths of a report's records. */
export const TRIVY_RECORDS = RESULT_LISTS.flatMap((list) => KINDS.map((kind) => `${list}.${kind}[*]`));

const CONTEXT_PATHS = [
  ...['ArtifactName', 'ArtifactType', 'ClusterName', 'Trivy', 'Metadata'],
  ...RESULT_LISTS.flatMap((list) => ['Target', 'Class', 'Type', 'Packages[*].Name'].map((name) => `${list}.${name}`)),
  ...RESOURCE_LISTS.flatMap((list) => ['Namespace', 'Kind', 'Name', 'Metadata'].map((name) => `${list}[*].${name}`)),
];

/** An image as a report names it. */
export interface TrivyImage {
  tags: string[];
  digests: string[];
  id: string | undefined;
  os: string | undefined;
  /** When it was built. */
  created: string | undefined;
  labels: JsonObject | undefined;
}

/** A scanned Kubernetes resource. */
export interface TrivyWorkload {
  kind: string | undefined;
  namespace: string | undefined;
  name: string | undefined;
  image: TrivyImage | undefined;
  /** The image as a result's target names it, `image:tag (os)`. */
  target: string | undefined;
}

/** One entry of `Results`. */
export interface TrivyResult {
  target: string | undefined;
  class: string | undefined;
  type: string | undefined;
  /** Packages that it lists; only some reports list any. */
  packages?: number;
  /** The resource of its records by their kind, once it was asked for; misconfigurations have their own. */
  places?: Partial<Record<TrivyKind, PlaceDraft>>;
}

/** Where a record stands in its report. */
export interface TrivyRecordPlace {
  kind: TrivyKind;
  result: TrivyResult;
  workload: TrivyWorkload | undefined;
  position: string;
}

/** What records need of the report around them. */
export interface TrivyContext {
  artifactName: string | undefined;
  artifactType: string | undefined;
  cluster: string | undefined;
  version: string | undefined;
  image: TrivyImage | undefined;
  results: Map<string, TrivyResult>;
  workloads: Map<string, TrivyWorkload>;
  /** Whether a list of results or resources was met. */
  hasLists: boolean;
  /** Whether anything of the report's own members was met. */
  hasMembers: boolean;
  truncated: boolean;
  /** The report is an array; one with other elements was refused by its head. */
  isList: boolean;
}

/** The first pass over a report: everything but its records. Throws as `readJson` does. */
export async function readTrivyContext(source: ReportSource): Promise<TrivyContext> {
  const context: TrivyContext = {
    artifactName: undefined,
    artifactType: undefined,
    cluster: undefined,
    version: undefined,
    image: undefined,
    results: new Map(),
    workloads: new Map(),
    hasLists: false,
    hasMembers: false,
    truncated: false,
    isList: false,
  };
  for await (const item of readJson(source, CONTEXT_PATHS)) {
    if (item.kind === 'array') {
      context.hasLists ||= item.path !== '$';
      context.isList ||= item.path === '$';
    } else if (item.kind === 'truncated') context.truncated = true;
    else if (item.kind === 'value') take(context, item);
  }
  return context;
}

/** The results of a report, each with the workload that it lies in. */
export function* trivyResults({
  results,
  workloads,
}: TrivyContext): Generator<{ result: TrivyResult; workload: TrivyWorkload | undefined }> {
  for (const [key, result] of results) {
    const [, resources, at] = /^(\w+)\[\*\]\.Results\[\*\]:(\d+)/.exec(key) ?? [];
    yield { result, workload: resources === undefined ? undefined : workloads.get(`${resources}[*]:${at}`) };
  }
}

/** The result and the workload that a record lies in. */
export function trivyPlace(
  context: TrivyContext,
  item: { readonly path: string; readonly indices: readonly number[]; readonly position: string },
): TrivyRecordPlace {
  const [list = '', kind] = splitPath(item.path.replace(/\[\*\]$/, ''));
  const inResource = list.includes('.Results');
  const key = `${list}:${item.indices.slice(0, inResource ? 2 : 1).join()}`;
  const result = entry(context.results, key, noResult);
  const workload = inResource ? context.workloads.get(`${list.slice(0, list.indexOf('.'))}:${item.indices[0]}`) : undefined;
  return { kind: kind as TrivyKind, result, workload, position: item.position };
}

function splitPath(path: string): [string, string] {
  const at = path.lastIndexOf('.');
  return [path.slice(0, Math.max(at, 0)), path.slice(at + 1)];
}

function take(context: TrivyContext, item: Extract<JsonItem, { kind: 'value' }>): void {
  const [list, name] = splitPath(item.path);
  const text = typeof item.value === 'string' && item.value !== '' ? item.value : undefined;
  if (list === '') {
    context.hasMembers = true;
    if (item.path === 'ArtifactName') context.artifactName = text;
    else if (item.path === 'ArtifactType') context.artifactType = text;
    else if (item.path === 'ClusterName') context.cluster = text;
    else if (item.path === 'Trivy') context.version = textAt(asObject(item.value), 'Version');
    else context.image = imageOf(item.value);
    return;
  }
  context.hasMembers = true;
  const packages = /^(.*)\.Packages\[\*\]$/.exec(list)?.[1];
  if (packages !== undefined) {
    const result = entry(context.results, `${packages}:${item.indices.slice(0, -1).join()}`, noResult);
    result.packages = (result.packages ?? 0) + 1;
    return;
  }
  const key = `${list}:${item.indices.join()}`;
  const isResult = list === '$[*]' || list.endsWith('Results[*]');
  if (isResult) {
    const result = entry(context.results, key, noResult);
    if (name === 'Target') result.target = text;
    else if (name === 'Class') result.class = text;
    else result.type = text;
  }
  const workloadKey = `${list.replace('.Results[*]', '')}:${item.indices[0]}`;
  if (list === '$[*]' || list === 'Results[*]') return;
  const workload = entry(context.workloads, workloadKey, () => ({
    kind: undefined,
    namespace: undefined,
    name: undefined,
    image: undefined,
    target: undefined,
  }));
  if (isResult) {
    if (name === 'Target' && text !== undefined && /\s\([^)]*\)$/.test(text)) workload.target ??= text;
  } else if (name === 'Metadata') workload.image ??= imageOf(item.value);
  else if (name === 'Kind') workload.kind = text;
  else if (name === 'Namespace') workload.namespace = text;
  else workload.name = text;
}

const noResult = (): TrivyResult => ({ target: undefined, class: undefined, type: undefined });

function entry<T>(map: Map<string, T>, key: string, create: () => T): T {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}

/** The image facts of a metadata object, or of the first of a list of them; undefined where it is no image. */
function imageOf(value: unknown): TrivyImage | undefined {
  const metadata: JsonObject | undefined =
    asObject(value) ??
    (Array.isArray(value)
      ? listAt({ value }, 'value')
          .map(asObject)
          .find((item) => item !== undefined)
      : undefined);
  const tags = textsAt(metadata, 'RepoTags');
  const digests = textsAt(metadata, 'RepoDigests');
  const id = textAt(metadata, 'ImageID');
  const os = objectAt(metadata, 'OS');
  const config = objectAt(metadata, 'ImageConfig');
  if (tags.length === 0 && digests.length === 0 && id === undefined && os === undefined) return undefined;
  return {
    tags,
    digests,
    id,
    os: os === undefined ? undefined : [textAt(os, 'Family'), textAt(os, 'Name')].filter((part) => part !== undefined).join(' '),
    created: textAt(config, 'created'),
    labels: objectAt(objectAt(config, 'config'), 'Labels'),
  };
}
