import { loadFrameworks } from '../../catalog/assessed.js';
import type { Control } from '../../catalog/frameworks.js';
import { PROVIDERS, type Provider } from '../../schema/model.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { customFrameworks, type CustomFrameworkRow } from './records.js';

/** A framework as scores take it: one of the catalog, or the tenant's own. */
export interface ScoredFramework {
  framework_id: string;
  name: string;
  version: string;
  providers: readonly Provider[];
  source: string | null;
  custom: boolean;
  controls: readonly Control[];
}

let shipped: readonly ScoredFramework[] | undefined;

/** The frameworks that the catalog has. */
const catalogFrameworks = (): readonly ScoredFramework[] =>
  (shipped ??= loadFrameworks().map((framework) => ({ ...framework, custom: false })));

/** The tenant's own frameworks, then the catalog's, each by id. */
export async function listAllFrameworks(context: EngineContext): Promise<readonly ScoredFramework[]> {
  const own = await context.collection(customFrameworks).find({ current: true }, { sort: { framework_id: 1 } });
  return own.length === 0 ? catalogFrameworks() : [...own.map(ownFramework), ...catalogFrameworks()];
}

/** A framework by id; null when neither the catalog nor the tenant has it. */
export async function findFramework(context: EngineContext, frameworkId: string): Promise<ScoredFramework | null> {
  const known = catalogFrameworks().find(({ framework_id }) => framework_id === frameworkId);
  if (known) return known;
  const own = await context.collection(customFrameworks).findOne({ framework_id: frameworkId, current: true });
  return own && ownFramework(own);
}

/** Whether the catalog has a framework of this id. */
export const isCatalogFramework = (frameworkId: string): boolean =>
  catalogFrameworks().some(({ framework_id }) => framework_id === frameworkId);

function ownFramework({ framework_id, name, version, controls }: CustomFrameworkRow): ScoredFramework {
  return {
    framework_id,
    name,
    version,
    providers: PROVIDERS,
    source: null,
    custom: true,
    controls: controls.map(({ rule_ids, ...control }) => ({
      ...control,
      selectors: rule_ids,
      ...(rule_ids.length === 0 && { manual: 'The framework names no rule for it.' }),
    })),
  };
}
