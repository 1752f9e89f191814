import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AssetInput, EdgeInput } from '../../importers/types.js';
import type { InventorySource } from '../../sources/types.js';

/** A folder of files, new each time. */
export function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'palisade-sources-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** What a source tells. */
export interface Told {
  assets: AssetInput[];
  edges: EdgeInput[];
  broken: string[];
  /** The configuration of a resource. */
  of(address: string): Readonly<Record<string, unknown>>;
}

export async function toldBy(source: InventorySource): Promise<Told> {
  const told: Omit<Told, 'of'> = { assets: [], edges: [], broken: [] };
  for await (const item of source.read()) {
    if (item.kind === 'asset') told.assets.push(item.asset);
    else if (item.kind === 'edge') told.edges.push(item.edge);
    else if (item.kind === 'broken' || item.kind === 'truncated') told.broken.push(`${item.position}: ${item.reason}`);
  }
  return {
    ...told,
    of(address) {
      const found = told.assets.find(({ source: { address: own } }) => own === address);
      if (found === undefined) throw new Error(`no ${address} among ${told.assets.map(({ source: { address: own } }) => own).join(', ')}`);
      return found.configuration;
    },
  };
}
