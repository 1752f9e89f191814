import { z } from 'zod';
import { invalid, violationsOf } from '../../../kit/base/errors.js';
import { setMembers } from '../../../kit/base/set-members.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { Provider } from '../../../schema/model.js';
import type { ScanCoverage } from './records.js';

/** What a client says of what is to be scanned. */
export interface CoverageInput {
  account_id?: string | null;
  regions?: readonly string[] | null;
  services?: readonly string[] | null;
  engines?: readonly string[] | null;
}

const names = z.array(z.string().trim().min(1).max(100)).max(100).default([]);
const schema = z.object({ account_id: z.string().trim().min(1).max(255), regions: names, services: names, engines: names });
const once = (values: readonly string[]): string[] => [...new Set(values)].sort();

/**
 * Checks what is to be scanned, each name once and in order.
 * @throws PalisadeError VALIDATION_ERROR, also for an account that the tenant has not connected
 */
export async function checkCoverage(context: EngineContext, input: CoverageInput): Promise<{ coverage: ScanCoverage; provider: Provider }> {
  const parsed = schema.safeParse(setMembers(input));
  if (!parsed.success) throw invalid(violationsOf(parsed.error));
  const { account_id, regions, services, engines } = parsed.data;
  const { findingEngines, accountScans } = context.services.ingest;
  const unknown = engines.flatMap((engine, n) =>
    findingEngines.has(engine) ? [] : [{ path: `engines.${n}`, message: 'is no engine that holds findings' }],
  );
  if (unknown.length > 0) throw invalid(unknown);
  const coverage = { account_id, regions: once(regions), services: once(services), engines: once(engines) };
  return { coverage, provider: await accountScans.scannable(context, coverage) };
}
