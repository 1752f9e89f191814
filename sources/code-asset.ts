import { redactText, redactValue } from '../redaction/redact.js';
import { GLOBAL_REGION } from '../schema/model.js';
import type { AssetInput, ImportItem } from '../importers/types.js';
import type { InventorySource, Place, Skipped } from './types.js';

/** Something that stands in a file of source code and runs in no cloud. */
export interface CodeThing {
  type: string;
  /** What it is called in its file. */
  name: string;
  configuration: Record<string, unknown>;
  line: number;
  endLine: number;
  /** The file that it stands in, where that is not the one that was read. */
  file?: string;
}

/** Things of one file as an inventory. The contract's providers have none for code: it has that of containers (docs/decisions.md). */
export function codeSource(file: string, format: string, things: readonly CodeThing[], skipped: readonly Skipped[] = []): InventorySource {
  const places = new Map(
    things.map(({ type, name, line, endLine, file: own = file }) => [`${type}.${name}`, { file: own, line, endLine }]),
  );
  async function* read(): AsyncGenerator<ImportItem> {
    for (const thing of things) {
      yield { kind: 'record' };
      yield { kind: 'asset', asset: assetOf(file, format, thing) };
    }
  }
  return {
    name: file,
    format,
    isCode: true,
    namesFiles: true,
    read,
    placeOf: ({ source: { address } }: AssetInput): Place => places.get(address) ?? { file },
    skipped: () => skipped,
  };
}

function assetOf(root: string, format: string, { type, name, configuration, line, file = root }: CodeThing): AssetInput {
  const address = `${type}.${name}`;
  return {
    resource_uid: redactText(`${file}#${address}`),
    resource_type: type,
    resource_name: redactText(name),
    provider: 'k8s',
    region: GLOBAL_REGION,
    configuration: redactValue(configuration),
    source: { format, address, line },
    provider_metadata: { provider_inferred: true },
    position: `${file} line ${line}`,
  };
}
