import { createReadStream } from 'node:fs';
import { importContext, importReport, type FollowedRun, type ImportParameters } from '../processes/import-report.js';
import { jobHandlersOf, openServices } from '../processes/services.js';
import { joinExistingStore } from '../processes/store.js';
import { loadConfig } from '../kit/base/config.js';
import { Worker } from '../kit/engine/worker.js';
import { createLogger } from '../kit/base/logger.js';

/** Imports into the store of the configuration, beside a running server or without one. */
export interface LocalImport {
  send(file: string, parameters: ImportParameters, onProgress: (run: FollowedRun) => void): Promise<FollowedRun>;
  close(): Promise<void>;
}

/** Opens the store for the imports of one tenant. @throws when there is no data, or no such tenant */
export async function openImport(tenant: string, data: string | undefined): Promise<LocalImport> {
  const config = loadConfig(process.env, data ? ['--data', data] : []);
  const { services, engines, close } = await openServices(config, createLogger(config.LOG_LEVEL), { open: joinExistingStore });
  try {
    const auth = await importContext(services, tenant);
    const worker = new Worker(services, jobHandlersOf(engines), 1);
    return {
      send: (file, parameters, onProgress) => importReport(services, auth, createReadStream(file), parameters, onProgress),
      async close() {
        await worker.stop();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
