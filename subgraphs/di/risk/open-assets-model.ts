import { badRequest } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { readOpenFindingsKey } from '../../../kit/engine/open-findings.js';
import { readableEngines } from '../../../kit/findings/readers.js';
import type { Severity } from '../../../schema/model.js';
import { assets, type AssetRow } from '../records.js';

const MOST = 1_000;
const FIELDS = ['resource_uid', 'provider', 'account_id', 'tags', 'open_findings'] as const;

/** Where objects of Kubernetes stand: `<cluster>/<namespace>/<Kind>/<name>`. */
const OBJECT = /^.+\/([^/]+)\/[^/]+\/[^/]+$/;

/**
 * Some of the tenant's assets with their open findings by engine and severity, of the engines that the caller may read, and where the next ones
 * begin. Assets without any are left out.
 * @param tag_names tags of which the first that an asset has is told
 */
export async function openAssetBatch(
  context: EngineContext,
  { tag_names, after, limit }: { tag_names: readonly string[]; after?: string | null; limit: number },
) {
  if (limit < 1 || limit > MOST) throw badRequest(`limit must be from 1 to ${MOST}`);
  const readable = readableEngines(context.services.findingEngines, context.auth);
  const condition = after == null ? {} : { resource_uid: { $gt: after } };
  const rows = await context.collection(assets).find(condition, { sort: { resource_uid: 1 }, limit, fields: FIELDS });
  const items = rows.flatMap(({ resource_uid, provider, account_id, tags, open_findings = {} }) => {
    const open = Object.entries(open_findings)
      .filter(([engine]) => readable.includes(engine))
      .map(([engine, counts]) => ({ engine, ...bySeverity(counts) }));
    const namespace = provider === 'k8s' ? (OBJECT.exec(resource_uid)?.[1] ?? null) : null;
    return open.length === 0
      ? []
      : [{ provider, account_id, namespace: namespace === '-' ? null : namespace, tag: tagOf(tags, tag_names), open }];
  });
  return { items, next: rows.length === limit ? rows.at(-1)!.resource_uid : null };
}

function bySeverity(counts: NonNullable<AssetRow['open_findings']>[string]): Record<Severity, number> {
  const sums: Record<Severity, number> = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
  for (const [key, count] of Object.entries(counts)) sums[readOpenFindingsKey(key).severity] += count;
  return sums;
}

/** The value of the first of these tags that an asset has, in any case of its name. */
function tagOf(tags: Readonly<Record<string, unknown>>, names: readonly string[]): string | null {
  const byName = new Map(Object.entries(tags).map(([name, value]) => [name.toLowerCase(), value]));
  const value = names.map((name) => byName.get(name)).find((one) => typeof one === 'string' && one.trim() !== '');
  return typeof value === 'string' ? value.trim() : null;
}
