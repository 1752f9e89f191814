import type { EngineContext } from '../../kit/engine/context.js';
import { readTenantSettings } from '../../kit/read/tenant-settings.js';

/** The tenant's template of runbook addresses; null when there is none, or when it cannot be had in time: the finding is shown all the same. */
export const runbookTemplate = (context: EngineContext): Promise<string | null> =>
  readTenantSettings(context, context.services.config.FAN_OUT_TIMEOUT_MS).then(
    (settings) => settings?.runbook_url_template ?? null,
    () => null,
  );
