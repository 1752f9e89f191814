import { SEVERITIES, type Severity } from '../../../schema/model.js';
import { holds } from '../../../kit/base/auth-context.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { readOpenFindingsKey } from '../../../kit/engine/open-findings.js';
import { readableEngines } from '../../../kit/findings/readers.js';
import { assertModelSize } from '../inventory-model.js';
import { assetRowId, assets, type AssetRow } from '../records.js';
import { riskSums } from './columns.js';

type Columns = Partial<Pick<AssetRow, 'open_findings' | 'exposure' | 'data_classes'>>;

/** What exposures are read with. */
export const EXPOSURE_PERMISSION = 'network:read';

/** The open findings of an asset that a caller may read, by severity, and the engines that it may not read. */
export function openFindingsOf({ services, auth }: EngineContext, { open_findings = {} }: Columns) {
  const readable = readableEngines(services.findingEngines, auth);
  const counts = Object.fromEntries(SEVERITIES.map((severity) => [severity, 0])) as Record<Severity, number>;
  let total = 0;
  for (const engine of readable)
    for (const [key, count] of Object.entries(open_findings[engine] ?? {})) {
      counts[readOpenFindingsKey(key).severity] += count;
      total += count;
    }
  const restricted = services.findingEngines.filter(({ engine }) => !readable.includes(engine));
  return { ...counts, total, restrictedEngines: restricted.map(({ viewSegment }) => viewSegment) };
}

/** The risk of an asset by the open findings that a caller may read. */
export function riskOf({ services, auth }: EngineContext, { open_findings = {} }: Columns) {
  const { max, sum } = riskSums(open_findings, readableEngines(services.findingEngines, auth));
  return { max, sum };
}

/** How far the internet reaches an asset; null where that is not known, or not the caller's to know. */
export const exposureOf = ({ auth }: EngineContext, { exposure }: Columns) =>
  holds(auth, EXPOSURE_PERMISSION) ? (exposure ?? null) : null;

/** How assets stand, in the order of their identifiers; one that the tenant does not have stands for nothing. @throws PalisadeError BAD_REQUEST for too many */
export async function assetStandings(context: EngineContext, uids: readonly string[]) {
  assertModelSize(uids);
  const ids = uids.map((uid) => assetRowId(context.auth.tenant_id, uid));
  const rows = await context
    .collection(assets)
    .find({ _id: { $in: ids } }, { fields: ['resource_uid', 'open_findings', 'exposure', 'data_classes'] });
  const known = new Map<string, Columns>(rows.map((row) => [row.resource_uid, row]));
  return uids.map((resource_uid) => {
    const columns = known.get(resource_uid) ?? {};
    const { data_classes = [] } = columns;
    return { resource_uid, open_findings: openFindingsOf(context, columns), exposure: exposureOf(context, columns), data_classes };
  });
}
