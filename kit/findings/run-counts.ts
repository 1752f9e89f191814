import type { TenantDatabase } from '../store/database.js';
import type { Filter } from '../store/query.js';
import { findings } from './row.js';

/** What a run did to findings (`counts` of decision 32), and how many it saw. */
export interface RunCounts {
  new: number;
  updated: number;
  resolved: number;
  regressed: number;
  seen: number;
}

/** What a run did to the findings of some engines: counted from the rows themselves, so that one that was interrupted and resumed counts right. */
export async function countRun(tenant: TenantDatabase, engines: readonly string[], scan_run_id: string): Promise<RunCounts> {
  const rows = tenant.engines(engines).collection(findings);
  const count = (filter: Filter) => rows.count(filter);
  const [seen, resolved] = await Promise.all([count({ scan_run_id }), count({ 'resolved_by.scan_run_id': scan_run_id })]);
  const some = (column: string) => (seen === 0 ? 0 : count({ scan_run_id, [column]: scan_run_id }));
  const [opened, regressed] = await Promise.all([some('opened_by'), some('regressed_by')]);
  return { new: opened, regressed, resolved, updated: seen - opened - regressed, seen };
}
