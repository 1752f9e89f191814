import { bufferSource, importers, type AssetInput } from '../../importers/index.js';
import type { InventorySource } from '../types.js';

interface Origin {
  /** The file that a line of the output comes from. */
  fileOf(line: number): string;
  isMadeFrom(file: string): boolean;
}

const kubernetes = importers.find(({ name }) => name === 'kubernetes')!;

/** Manifests that a tool printed. They stand in no line of a file that somebody wrote. */
export function renderedSource(name: string, output: Buffer, { fileOf, isMadeFrom }: Origin): InventorySource {
  return {
    name,
    format: kubernetes.name,
    isCode: false,
    namesFiles: false,
    read: () => kubernetes.read(bufferSource(output), {}),
    placeOf: ({ source: { line } }: AssetInput) => ({ file: fileOf(line ?? 1) }),
    isMadeFrom,
  };
}
