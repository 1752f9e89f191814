import type { EngineContext } from '../../../kit/engine/context.js';
import { keptUnder } from '../../../kit/store/kept.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import { countAssets } from '../counters.js';
import { assets } from '../records.js';
import { coverageGaps, type CoverageGapRow } from './gaps.js';

const FILTERS = ['provider', 'account_id', 'region'] as const;
type CoverageArguments = { [filter in (typeof FILTERS)[number]]?: string[] | null } & { state?: string[] | null } & PageArguments;

/** What the inventory covers: service by service of each account and region, from the assets that were seen there and from what was not answered. */
export async function coverageOf(context: EngineContext, args: CoverageArguments) {
  const window = pageWindow(args);
  const all = await countAssets(context.services.database.tenant(context.auth.tenant_id));
  const condition: Record<string, unknown> = {};
  for (const name of FILTERS) if (args[name]) condition[name] = { $in: args[name] };
  const seen = { ...condition, planned: null };
  const [cells, gaps] = await Promise.all([
    all === null ? [] : keptUnder([context.auth.tenant_id, 'coverage', all.version, seen], () => cellsOf(context, seen)),
    context.collection(coverageGaps).find(condition),
  ]);
  const services = withGaps(cells, gaps).filter(({ state }) => !args.state || args.state.includes(state));
  return toPage(services.slice(window.skip, window.skip + window.limit), services.length, window);
}

const keyOf = ({ provider, account_id, region, service }: Place & { service: string }): string =>
  JSON.stringify([provider, account_id, region, service]);

/** What was not answered since a service was seen goes before that; where nothing was ever seen, it stands by itself. */
function withGaps(cells: readonly Cell[], gaps: readonly CoverageGapRow[]) {
  const services = new Map(
    cells.map((cell) => [keyOf(cell), { ...cell, last_seen_at: cell.last_seen_at as Date | null, state: 'scanned' as string, ...NO_GAP }]),
  );
  for (const { _id, tenant_id: _tenant, scan_run_id: _run, seen_at, ...gap } of gaps) {
    const known = services.get(keyOf(gap));
    if (known?.last_seen_at && known.last_seen_at > seen_at) continue;
    services.set(keyOf(gap), { assets: 0, last_seen_at: null, ...known, ...gap, tried_at: seen_at });
  }
  return [...services].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, service]) => service);
}

const NO_GAP = { missing_permission: null as string | null, reason: null as string | null, tried_at: null as Date | null };

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
type Cell = Place & Seen & { service: string };

async function cellsOf(context: EngineContext, condition: object) {
  const place = { provider: '$provider', account_id: '$account_id', region: '$region', resource_type: '$resource_type' };
  const groups = await context
    .collection(assets)
    .aggregate<{ _id: Place & { resource_type: string } } & Seen>([
      { $match: condition },
      { $group: { _id: place, assets: { $sum: 1 }, last_seen_at: { $max: '$last_seen_at' } } },
    ]);
  const cells = new Map<string, Cell>();
  for (const { _id, ...seen } of groups) {
    const { resource_type, ...where } = _id;
    const service = serviceOf(resource_type);
    const key = keyOf({ ...where, service });
    const known = cells.get(key);
    const last_seen_at = known && known.last_seen_at > seen.last_seen_at ? known.last_seen_at : seen.last_seen_at;
    cells.set(key, { ...where, service, assets: seen.assets + (known?.assets ?? 0), last_seen_at });
  }
  return [...cells.values()];
}
