import type { AssetInput } from '../schema/observations.js';
import type { Subject } from './cel/asset-value.js';
import { isManifest, manifestConfiguration } from './manifest.js';

/** An inventory item as rules read it: a manifest in Terraform's form, anything else as it is. */
export function subjectOf(asset: Pick<AssetInput, keyof Subject & keyof AssetInput>): Subject {
  const { configuration, unknown_paths, ...rest } = asset;
  return {
    ...rest,
    configuration: isManifest(asset) ? manifestConfiguration(configuration) : configuration,
    ...(unknown_paths === undefined ? {} : { unknown_paths }),
  };
}
