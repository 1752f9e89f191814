import { missingPermission } from '../../../kit/base/errors.js';
import { holds } from '../../../kit/base/auth-context.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { countersVersion } from '../../../kit/findings/kept.js';
import { READERS, readableEngines, readerOf, type Reader } from '../../../kit/findings/readers.js';
import { readPageOf } from '../../../kit/store/far-page.js';
import { keptUnder } from '../../../kit/store/kept.js';
import { pageWindow, toPage, type PageWindow } from '../../../kit/store/paging.js';
import type { Filter } from '../../../kit/store/query.js';
import type { RowReader } from '../../../kit/store/row-reader.js';
import { countAssets, countAssetsBy, countPlanned } from '../counters.js';
import { assets, goneAssets, type AssetRow } from '../records.js';
import { EXPOSURE_PERMISSION } from '../risk/shown.js';
import { assetCondition, countedColumns, isCounted, type AssetFilter } from './filter.js';
import { assetOrder, isByFindings, sortOf, type AssetOrder } from './order.js';
import { countScored, scoredPage } from './scored.js';
import { amongTexts } from './texts.js';

export type AssetListArguments = AssetFilter & { sort?: string | null };

/** Who lists assets: as which role it reads findings, or which engines where it is as none. */
interface Reading {
  readonly reader: Reader | null;
  readonly engines: readonly string[];
}

const readingOf = ({ auth, services }: EngineContext): Reading => ({
  reader: readerOf(services.findingEngines, auth),
  engines: readableEngines(services.findingEngines, auth),
});

/** The tenant's assets that a filter selects, page by page. @throws PalisadeError BAD_REQUEST for an unknown sort, FORBIDDEN for a filter by what the caller may not read */
export async function listAssets(context: EngineContext, args: AssetListArguments) {
  const window = pageWindow(args);
  const order = assetOrder(args.sort);
  if (args.exposure && !holds(context.auth, EXPOSURE_PERMISSION)) throw missingPermission(EXPOSURE_PERMISSION);
  const reading = readingOf(context);
  const condition = assetCondition(args, reading.reader);
  if (args.gone) return listGone(context, condition, args, order, reading, window);
  const tenant = context.services.database.tenant(context.auth.tenant_id);
  const among = args.q ? await amongTexts(tenant, args.q) : {};
  const selected = { ...condition, ...among };
  const total = await countListed(context, args, selected, reading);
  if (total <= window.skip) return toPage([], total, window);
  return toPage(await readPage(context, args, selected, order, reading, total, window), total, window);
}

async function readPage(
  context: EngineContext,
  args: AssetListArguments,
  condition: Filter,
  order: AssetOrder,
  { reader, engines }: Reading,
  total: number,
  window: PageWindow,
): Promise<AssetRow[]> {
  const rows = context.collection(assets);
  if (reader === null && goesByFindings(args, order)) return readScored(rows, condition, order, engines, args, window);
  const tenant = context.services.database.tenant(context.auth.tenant_id);
  return readPageOf(
    {
      rows,
      condition,
      sort: sortOf(order, reader ?? READERS[0]),
      key: [tenant.tenantId, 'assets', askedBy(args)],
      version: () => versionOf(context, goesByFindings(args, order)),
      total: () => Promise.resolve(total),
    },
    window,
  );
}

const goesByFindings = (args: AssetFilter, order: AssetOrder): boolean => isByFindings(order) || args.risk_min != null;

async function readScored<T extends AssetRow>(
  rows: Pick<RowReader<T>, 'find' | 'scan'>,
  condition: Filter,
  order: AssetOrder,
  engines: readonly string[],
  { risk_min }: AssetFilter,
  window: PageWindow,
): Promise<T[]> {
  const ids = await scoredPage(rows, condition, order, engines, risk_min ?? 0, window);
  const found = new Map((await rows.find({ _id: { $in: ids } })).map((row) => [row._id, row]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** Those that are gone are few, and not kept in step with anything: they are counted, and sorted, each time. */
async function listGone(
  context: EngineContext,
  condition: Filter,
  args: AssetFilter,
  order: AssetOrder,
  { reader, engines }: Reading,
  window: PageWindow,
) {
  const rows = context.collection(goneAssets);
  const { skip, limit } = window;
  const [items, total] = await Promise.all(
    reader === null && goesByFindings(args, order)
      ? [readScored(rows, condition, order, engines, args, window), countScored(rows, condition, engines, args.risk_min ?? 0)]
      : [rows.find(condition, { sort: sortOf(order, reader ?? READERS[0]), skip, limit }), rows.count(condition)],
  );
  return toPage(items, total, window);
}

const askedBy = ({ page: _p, page_size: _s, sort: _o, ...filter }: AssetListArguments) =>
  Object.entries(filter)
    .filter(([, value]) => value != null)
    .sort(([one], [other]) => (one < other ? -1 : 1));

/** The version of the tenant's assets and, where an answer goes by findings, of these. */
async function versionOf(context: EngineContext, byFindings: boolean): Promise<string | undefined> {
  const { services, auth } = context;
  const tenant = services.database.tenant(auth.tenant_id);
  const [all, findings] = await Promise.all([
    countAssets(tenant),
    byFindings
      ? countersVersion(
          tenant,
          services.findingEngines.map(({ engine }) => engine),
        )
      : '',
  ]);
  return all ? `${all.version} ${findings}` : undefined;
}

/** The exact number of assets of a list: from the counters where they know, else counted once until an asset, or a finding, changes. */
async function countListed(
  context: EngineContext,
  args: AssetListArguments,
  condition: Filter,
  { reader, engines }: Reading,
): Promise<number> {
  const tenant = context.services.database.tenant(context.auth.tenant_id);
  const [column, ...others] = countedColumns(args);
  if (isCounted(args) && others.length === 0) {
    if (column === undefined) {
      const [all, planned] = await Promise.all([countAssets(tenant), countPlanned(tenant)]);
      const total = all?.count ?? 0;
      if (args.planned == null) return total;
      return args.planned ? planned : total - planned;
    }
    if (args.planned == null) return countAssetsBy(tenant, column, args[column]!);
  }
  const byFindings = args.risk_min != null;
  const version = await versionOf(context, byFindings);
  if (version === undefined) return 0;
  // a key's sums are nobody else's
  const own = byFindings && reader === null ? engines : (reader ?? '');
  return keptUnder([tenant.tenantId, 'assets', version, askedBy(args), byFindings && own], () =>
    byFindings && reader === null
      ? countScored(context.collection(assets), condition, engines, args.risk_min!)
      : context.collection(assets).count(condition),
  );
}
