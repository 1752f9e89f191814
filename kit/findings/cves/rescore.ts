import type { EngineServices } from '../../engine/context.js';
import type { FindingFacts } from '../../engine/finding-facts.js';
import { rescoreFindings } from '../rescore.js';
import { intelligenceOf, scoredBy, scoresOf } from './intelligence.js';
import { findingCves } from './records.js';

/** CVEs looked at a time. */
const PAGE = 200;

/**
 * Scores the findings of the next CVEs of a tenant by what feeds know now, where it is another than they were scored by. Doing it again
 * changes nothing.
 * @param position the last row of a CVE that is done; empty at the beginning
 * @returns the position behind; null at the end
 */
export async function rescorePage(
  services: EngineServices,
  tenantId: string,
  engines: readonly FindingFacts[],
  position: string,
  signal: AbortSignal,
): Promise<string | null> {
  const rest = engines.filter(({ engine }) => `${tenantId}|${engine}|\u{10ffff}` > position);
  for (const { engine } of rest) {
    const rows = services.database.tenant(tenantId).engine(engine).collection(findingCves);
    const page = await rows.find({ _id: { $gt: position } }, { sort: { _id: 1 }, limit: PAGE, fields: ['cve', 'rule_ids', 'scored_by'] });
    const last = page.at(-1);
    if (!last) continue;
    const known = await intelligenceOf(
      services.database,
      page.map(({ cve }) => cve),
    );
    const changed = page.filter(({ cve, scored_by }) => scored_by !== scoredBy(known.get(cve)));
    if (changed.length > 0) {
      const meant = { rule_id: { $in: changed.flatMap(({ rule_ids }) => rule_ids) } };
      await rescoreFindings(
        services,
        tenantId,
        [engine],
        meant,
        (row, context) => scoresOf(row, known.get(row.cve ?? ''), context) ?? {},
        signal,
      );
      await rows.bulkUpdate(changed.map(({ _id, cve }) => ({ _id, update: { $set: { scored_by: scoredBy(known.get(cve)) } } })));
    }
    return last._id;
  }
  return null;
}
