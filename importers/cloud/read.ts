import { faultOfValue } from '../readers/limits.js';
import { terraformAsset, type TerraformInstance } from '../terraform/asset.js';
import { providerOf } from '../terraform/place.js';
import type { ImportItem, ImportOptions } from '../types.js';

/** The assets of resources that were read; what breaks a limit is broken and named. */
export function* assetsOf(instances: Iterable<TerraformInstance>, format: string, options: ImportOptions): Generator<ImportItem> {
  for (const instance of instances) {
    const fault = faultOfValue(instance.values);
    const provider = providerOf(instance.type);
    if (fault !== null) yield { kind: 'broken', position: instance.position, reason: `the resource ${fault}` };
    else if (provider !== undefined) yield { kind: 'asset', asset: terraformAsset(instance, provider, format, options, {}) };
    if (instance.tells !== undefined && instance.tells.length > 0) yield { kind: 'listed', types: instance.tells };
  }
}
