import { PackageURL } from 'packageurl-js';
import { badRequest } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { loaderOf } from '../../../kit/engine/loader.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import { readUsage } from '../../../kit/store/tenant-usage.js';
import { components, sbomRowId, sboms, STORED_COMPONENTS, type ComponentRow, type SbomRow } from './records.js';
import { nameKey } from './search-keys.js';
import { orderOf, parseRange, rangeCondition } from './version-key.js';

export interface ComponentFilter extends PageArguments {
  purl?: string | null;
  name?: string | null;
  version?: string | null;
  ecosystem?: string[] | null;
  license?: string[] | null;
  artifact_id?: string[] | null;
}

const anyOf = (values: readonly string[]) => (values.length === 1 ? values[0] : { $in: values });

/** Components of all artifacts, by name, version and artifact; each order of a filter is that of an index. */
export async function listComponents(context: EngineContext, args: ComponentFilter) {
  const window = pageWindow(args);
  const condition = conditionOf(args);
  const rows = context.collection(components);
  const [items, total] = await Promise.all([
    rows.find(condition, { sort: { name_key: 1, version_key: 1, _id: 1 }, skip: window.skip, limit: window.limit }),
    totalOf(context, args, condition),
  ]);
  return toPage(items, total, window);
}

/** The exact number of components: where it is kept, it is not counted. */
async function totalOf(context: EngineContext, args: ComponentFilter, condition: Record<string, unknown>): Promise<number> {
  const tenant = context.services.database.tenant(context.auth.tenant_id);
  const [named, ...others] = Object.keys(condition);
  if (named === undefined) return (await readUsage(tenant, STORED_COMPONENTS)) ?? 0;
  if (named === 'artifact_id' && others.length === 0) {
    const ids = [...new Set(args.artifact_id)].map((artifact) => sbomRowId(tenant.tenantId, artifact));
    const held = await context.collection(sboms).find({ _id: { $in: ids } }, { fields: ['component_count'] });
    return held.reduce((sum, { component_count }) => sum + component_count, 0);
  }
  return context.collection(components).count(condition);
}

/** @throws PalisadeError BAD_REQUEST for what is no package URL or no range, and for a range of versions of nothing */
function conditionOf({ purl, name, version, ecosystem, license, artifact_id }: ComponentFilter): Record<string, unknown> {
  const condition: Record<string, unknown> = {};
  if (ecosystem) condition['ecosystem'] = anyOf(ecosystem.map((one) => one.toLowerCase()));
  if (purl) Object.assign(condition, ofPurl(purl, condition['ecosystem']));
  if (name) condition['names'] = name.trim().toLowerCase();
  if (version) Object.assign(condition, ofVersion(version, condition, Boolean(name || purl)));
  if (license) condition['license_keys'] = anyOf(license.map((one) => one.toLowerCase()));
  if (artifact_id) condition['artifact_id'] = anyOf(artifact_id);
  return condition;
}

/** A package URL with a version names that version, with qualifiers itself, and without both all versions. */
function ofPurl(text: string, ecosystem: unknown): Record<string, unknown> {
  try {
    const { type, namespace, name, version, qualifiers } = PackageURL.fromString(text);
    const whole = (named: string | undefined) => new PackageURL(type ?? '', namespace, name ?? '', named, undefined, undefined).toString();
    const isDistribution = type === 'deb' || type === 'apk' || type === 'rpm';
    const full = namespace && !isDistribution ? `${namespace}${type === 'maven' ? ':' : '/'}${name}` : (name ?? '');
    const found = {
      ...(ecosystem === undefined ? { ecosystem: type } : { $and: [{ ecosystem: type }] }),
      name_key: nameKey(full, type),
      package: whole(undefined),
    };
    if (qualifiers && Object.keys(qualifiers).length > 0) return { ...found, purl: PackageURL.fromString(text).toString() };
    return version ? { ...found, version } : found;
  } catch {
    throw badRequest('purl must be a package URL, such as pkg:npm/lodash or pkg:npm/lodash@4.17.20');
  }
}

function ofVersion(range: string, condition: Record<string, unknown>, isNamed: boolean): Record<string, unknown> {
  if (!isNamed) throw badRequest('version needs name or purl beside it: versions of different packages do not compare');
  if (condition['version'] !== undefined) throw badRequest('version is given in purl already');
  const bounds = parseRange(range);
  if (bounds === null) throw badRequest('version must be a version or a range, such as >=1.0 <2.0');
  const { ecosystem, $and = [] } = condition as { ecosystem?: unknown; $and?: object[] };
  // where the ecosystem is known, so is how its versions are ordered
  const orders = typeof ecosystem === 'string' ? [orderOf(ecosystem)] : (['s', 'd'] as const);
  const conditions = orders.map((order) => rangeCondition(bounds, order, typeof ecosystem === 'string' ? ecosystem : undefined));
  return { $and: [...$and, conditions.length === 1 ? conditions[0]! : { $or: conditions }] };
}

/** The artifacts of components of an answer, each read once. */
const artifacts = loaderOf(async (context: EngineContext, wanted: readonly string[]): Promise<(SbomRow | null)[]> => {
  const rows = await context.collection(sboms).find({ _id: { $in: [...new Set(wanted)] } });
  const known = new Map(rows.map((row) => [row._id, row]));
  return wanted.map((_id) => known.get(_id) ?? null);
});

/** The name of the artifact that a component is in. */
export const artifactNameOf = async ({ _id, artifact_id }: ComponentRow, context: EngineContext): Promise<string> =>
  (await artifacts(context).load(_id.slice(0, _id.lastIndexOf('|'))))?.name ?? artifact_id;

/** The artifacts whose components are known, the newest document first. */
export async function listSboms(context: EngineContext, args: PageArguments) {
  const window = pageWindow(args);
  const rows = context.collection(sboms);
  const [items, total] = await Promise.all([
    rows.find({}, { sort: { uploaded_at: -1, _id: 1 }, skip: window.skip, limit: window.limit }),
    rows.count({}),
  ]);
  return toPage(items, total, window);
}

/** Artifacts that are asked about at once. */
const MOST_ARTIFACTS = 1_000;

/** Those of these artifacts whose components are known. @throws PalisadeError BAD_REQUEST for too many */
export async function packageLists(context: EngineContext, artifactIds: readonly string[]) {
  if (artifactIds.length > MOST_ARTIFACTS) throw badRequest(`at most ${MOST_ARTIFACTS} artifacts`);
  const ids = artifactIds.map((id) => sbomRowId(context.auth.tenant_id, id));
  return context.collection(sboms).find({ _id: { $in: ids } }, { fields: ['artifact_id', 'observed_at', 'component_count'] });
}
