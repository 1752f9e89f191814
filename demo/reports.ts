import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { EngineServices } from '../kit/engine/context.js';
import { markCrownJewels } from './crown-jewels.js';
import { movedLog } from './moved-log.js';
import { importContext, ImportRefused, importReport } from '../processes/import-report.js';

const manifestSchema = z.array(
  z.strictObject({
    tenant: z.string(),
    file: z.string(),
    format: z.string(),
    scan_run_id: z.string(),
    account_id: z.string().optional(),
    artifact: z.string().optional(),
    /** A log, whose times are moved to the present. */
    moved: z.literal(true).optional(),
  }),
);
const read = (name: string) => readFileSync(new URL(name, import.meta.url));

/** How many of the demo's reports are in the store. */
export interface DemoProgress {
  readonly reports: number;
  readonly loaded: number;
}

/**
 * Imports the reports of demo/reports through the operation behind POST /api/v1/scans/imports; a worker has to run. Those that an earlier start has imported
 * stay as they are. Then it says what the loss of some of their resources costs.
 * @param onProgress called before each report, and at the end
 * @param signal ends it; the report that is under way goes on
 * @throws the reason of the signal
 */
export async function loadReports(
  services: EngineServices,
  onProgress: (progress: DemoProgress) => void,
  signal?: AbortSignal,
): Promise<void> {
  const reports = manifestSchema.parse(JSON.parse(read('./manifest.json').toString()));
  for (const [loaded, { tenant, file, moved, ...parameters }] of reports.entries()) {
    onProgress({ reports: reports.length, loaded });
    const bytes = read(`./reports/${file}`);
    const report = Readable.from([moved ? Buffer.from(movedLog(bytes.toString(), services.clock.now())) : bytes]);
    // an earlier release may have brought another report under this id: its run stands
    await importReport(services, await importContext(services, tenant), report, parameters, undefined, signal).catch((error: unknown) => {
      if (!(error instanceof ImportRefused && error.code === 'CONFLICT')) throw error;
    });
  }
  await markCrownJewels(services);
  onProgress({ reports: reports.length, loaded: reports.length });
}
