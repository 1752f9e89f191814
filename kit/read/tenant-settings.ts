import type { Provider } from '../../schema/model.js';
import type { BusinessTags } from '../engine/business-tags.js';
import type { EngineContext } from '../engine/context.js';
import { defineReadOperation, readModel, type ReadModel } from './read-model.js';

const model: ReadModel = { name: 'tenant_settings', engine: 'identity' };

/** What other engines read of the tenant's settings. */
export interface ReadTenantSettings {
  /** Address of the tenant's runbooks, a template with variables of findings; null when there is none. */
  runbook_url_template: string | null;
  /** Provider of what runs in no cloud; null when each import has to name it. */
  default_provider: Provider | null;
  /** The tags that tell what resources are for. */
  business_tags: BusinessTags;
}

const own = defineReadOperation<Record<string, never>, ReadTenantSettings | null>(
  model,
  'query { result: tenant_settings_model { runbook_url_template default_provider business_tags } }',
);

/** The settings of the caller's tenant; null when it is gone. @throws as `readModel` */
export const readTenantSettings = (context: EngineContext, timeoutMs?: number): Promise<ReadTenantSettings | null> =>
  readModel(context, own, {}, timeoutMs);
