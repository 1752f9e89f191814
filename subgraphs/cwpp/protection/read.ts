import type { EngineContext } from '../../../kit/engine/context.js';
import { loaderOf } from '../../../kit/engine/loader.js';
import type { ComputedRow } from '../../../kit/projections/facet.js';
import { readAgentHosts } from '../../../kit/read/agent-hosts.js';
import { readAssetsByUid, readLinks, type ViewedAsset } from '../../../kit/read/inventory.js';
import { readPackageLists } from '../../../kit/read/package-lists.js';
import { countFixable, countOpenOn, readSourcesOn } from '../../../kit/read/workload-findings.js';
import { reported } from './hosts.js';
import {
  agentState,
  imageState,
  patchState,
  sensorState,
  type ImageFacts,
  type ProtectionState,
  type VulnerabilityFacts,
} from './state.js';

/** Formats whose reports come from sensors that watch what runs. */
const SENSORS = ['falco', 'neuvector', 'sysdig', 'twistlock'];
const OWN = 'cwpp';
const VULNERABILITIES = 'vulnerability';
/** Assets read at a time. */
const AT_ONCE = 200;
/** Images of all workloads of a page. */
const MOST_IMAGES = 800;

/** A row of the list, with the fields of it that protection goes by. */
type Row = ComputedRow & { readonly [Name in 'kind' | 'image' | 'resource_name']?: string | null };

interface Protection {
  readonly agent: ProtectionState;
  readonly runtime_sensor: ProtectionState;
  readonly image_scanned: ProtectionState;
  readonly patched: ProtectionState;
}

const keyed = loaderOf(async (context: EngineContext, rows: readonly Row[]) => protectionsOf(context, rows));
const runtime = loaderOf(async (context: EngineContext, uids: readonly string[]) => {
  const counts = await countOpenOn(context, OWN, uids);
  return uids.map((uid) => counts?.get(uid) ?? 0);
});

export const protectionOf = (row: Row, context: EngineContext): Promise<Protection> => keyed(context).load(row);
export const runtimeFindingsOf = ({ resource_uid }: Row, context: EngineContext): Promise<number> => runtime(context).load(resource_uid);

/** What protects the workloads of a page: each kind of source is asked once for all of them. */
async function protectionsOf(context: EngineContext, rows: readonly Row[]): Promise<Protection[]> {
  const uids = rows.map(({ resource_uid }) => resource_uid);
  const links = await readLinks(context, uids, [{ kind: 'uses_image', direction: 'out' }]);
  const images = [...new Set([...links.values()].flatMap(({ items }) => items))].slice(0, MOST_IMAGES);
  const [agents, sensors, assets, lists, fixable] = await Promise.all([
    readAgentHosts(context, [...new Set(rows.flatMap((row) => (row.kind === 'vm' ? nameOf(row) : [])))]),
    readSourcesOn(context, SENSORS, uids),
    assetsOf(context, images),
    readPackageLists(context, [...uids, ...images]),
    countFixable(context, VULNERABILITIES, [...uids, ...images]),
  ]);
  const described = new Map(assets.map((asset) => [asset.resource_uid, asset]));
  const listed = new Map(lists.map(({ artifact_id, observed_at }) => [artifact_id, new Date(observed_at)]));
  const counts = fixable && new Map(fixable.map((count) => [count.resource_uid, count]));
  const known = new Set(images);
  const imageOf = (uid: string): ImageFacts => ({
    uid,
    isScanned: listed.has(uid) || isDescribed(described.get(uid)) || (counts?.get(uid)?.total ?? 0) > 0,
    scanned_at: listed.get(uid) ?? null,
  });
  const now = context.services.clock.now();
  return rows.map((row) => {
    const facts = { kind: row.kind ?? null, isReported: reported.types.has(row.resource_type), image: row.image ?? null };
    const { items = [], total = 0 } = links.get(row.resource_uid) ?? {};
    const own = items.filter((uid) => known.has(uid));
    const image_scanned = imageState(facts, own.map(imageOf), total - own.length);
    const subjects = [row.resource_uid, ...own];
    const vulnerabilities: VulnerabilityFacts | null = counts && {
      fixable: sumOf(subjects, (uid) => counts.get(uid)?.fixable),
      total: sumOf(subjects, (uid) => counts.get(uid)?.total),
      listed: subjects.flatMap((uid) => listed.get(uid) ?? []),
    };
    const reports = agents.filter(({ hostname }) => nameOf(row).some((name) => isSameHost(name, hostname)));
    return {
      agent: agentState(
        facts,
        reports.map(({ last_report_at }) => (last_report_at === null ? null : new Date(last_report_at))),
        now,
      ),
      runtime_sensor: sensorState(sensors.filter(({ resource_uid }) => resource_uid === row.resource_uid)),
      image_scanned,
      patched: patchState(image_scanned, vulnerabilities),
    };
  });
}

const sumOf = (uids: readonly string[], of: (uid: string) => number | undefined): number =>
  uids.reduce((sum, uid) => sum + (of(uid) ?? 0), 0);

/** The name by which a host may have enrolled: of what no cloud tells of its own, of others the one that people gave it. */
const nameOf = ({ resource_uid, resource_type, resource_name }: Row): string[] => {
  const name = reported.types.has(resource_type) ? resource_uid : resource_name;
  return name ? [name.toLowerCase()] : [];
};

/** One of both may have its domain behind it. */
function isSameHost(one: string, other: string): boolean {
  if (one === other) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return !short.includes('.') && long.startsWith(`${short}.`);
}

/** Whether a scanner has told what is in an image. */
const isDescribed = (asset: ViewedAsset | undefined): boolean =>
  ['packages', 'digests', 'system'].some((name) => asset?.configuration?.[name] !== undefined);

async function assetsOf(context: EngineContext, uids: readonly string[]): Promise<ViewedAsset[]> {
  const found: ViewedAsset[] = [];
  for (let from = 0; from < uids.length; from += AT_ONCE) found.push(...(await readAssetsByUid(context, uids.slice(from, from + AT_ONCE))));
  return found;
}
