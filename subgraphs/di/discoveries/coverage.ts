import type { EngineContext } from '../../../kit/engine/context.js';
import { keptUnder } from '../../../kit/store/kept.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import { countAssets } from '../counters.js';
import { assets } from '../records.js';

const FILTERS = ['provider', 'account_id', 'region'] as const;
type CoverageArguments = { [filter in (typeof FILTERS)[number]]?: string[] | null } & PageArguments;

/** What the inventory covers: service by service of each account and region, from the assets that were seen there. */
export async function coverageOf(context: EngineContext, args: CoverageArguments) {
  const window = pageWindow(args);
  const all = await countAssets(context.services.database.tenant(context.auth.tenant_id));
  if (all === null) return toPage([], 0, window);
  const condition: Record<string, unknown> = { planned: null };
  for (const name of FILTERS) if (args[name]) condition[name] = { $in: args[name] };
  const cells = await keptUnder([context.auth.tenant_id, 'coverage', all.version, condition], () => cellsOf(context, condition));
  return toPage(cells.slice(window.skip, window.skip + window.limit), cells.length, window);
}

/** The service of a resource type in Terraform's words: `aws_s3_bucket` is of `s3`. */
const serviceOf = (resourceType: string): string => resourceType.split('_')[1] ?? resourceType;

interface Place {
  provider: string;
  account_id: string | null;
  region: string;
}
interface Seen {
  assets: number;
  last_seen_at: Date;
}

async function cellsOf(context: EngineContext, condition: object) {
  const place = { provider: '$provider', account_id: '$account_id', region: '$region', resource_type: '$resource_type' };
  const groups = await context
    .collection(assets)
    .aggregate<{ _id: Place & { resource_type: string } } & Seen>([
      { $match: condition },
      { $group: { _id: place, assets: { $sum: 1 }, last_seen_at: { $max: '$last_seen_at' } } },
    ]);
  const cells = new Map<string, Place & Seen & { service: string }>();
  for (const { _id, ...seen } of groups) {
    const { resource_type, ...where } = _id;
    const service = serviceOf(resource_type);
    const key = JSON.stringify([where.provider, where.account_id, where.region, service]);
    const known = cells.get(key);
    const last_seen_at = known && known.last_seen_at > seen.last_seen_at ? known.last_seen_at : seen.last_seen_at;
    cells.set(key, { ...where, service, assets: seen.assets + (known?.assets ?? 0), last_seen_at });
  }
  return [...cells]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, cell]) => ({ ...cell, state: 'scanned' as const, missing_permission: null }));
}
