import { readFileSync, statSync } from 'node:fs';
import {
  bufferSource,
  fileSource,
  importers,
  readHead,
  type AssetInput,
  type ImportItem,
  type ReportFormat,
  type ReportSource,
} from '../importers/index.js';
import type { InventorySource, Place } from './types.js';

/** Files up to this are read at once to see what they are. */
const SMALL = 256 * 1024;

const INVENTORIES = importers.filter(({ inventory }) => inventory);

/** A report, and the format that its first bytes show; undefined where that is none which holds an inventory. */
export interface Recognised {
  source: ReportSource;
  head: string;
  format: ReportFormat | undefined;
}

/** Recognises a report in a file. @throws as `fileSource` where it cannot be opened */
export async function recognise(path: string): Promise<Recognised> {
  const { size } = statSync(path);
  if (size > SMALL) return recogniseSource(fileSource(path));
  // streams of files come with buffers that thousands of small ones have no use for
  const recognised = await recogniseSource(bufferSource(readFileSync(path)));
  return { ...recognised, source: recognised.format === undefined ? recognised.source : fileSource(path) };
}

export async function recogniseSource(source: ReportSource): Promise<Recognised> {
  const head = (await readHead(source)).replace(/^\uFEFF/, '');
  return { source, head, format: INVENTORIES.find((format) => format.detect(head)) };
}

/** A report as a source. */
export function reportSource(name: string, source: ReportSource, format: ReportFormat): InventorySource {
  return {
    name,
    format: format.name,
    isCode: false,
    namesFiles: false,
    read: () => format.read(source, {}),
    placeOf: ({ source: { line } }: AssetInput): Place => ({ file: name, line }),
  };
}

/** A source in memory that has no file. */
export const textSource = (bytes: Buffer): ReportSource => bufferSource(bytes);

/** A file of several that are read as one. */
interface Part {
  file: string;
  /** The lines before it. */
  before: number;
}

const MARK = Buffer.from('\n---\n');

/**
 * Manifests of a folder as one source, in which they find each other: a network policy beside the deployment that it guards.
 * @param files YAML files with their bytes, decoded
 */
export function manifestSource(folder: string, files: readonly { file: string; bytes: Buffer }[], format: ReportFormat): InventorySource {
  const parts: Part[] = [];
  const chunks: Buffer[] = [];
  let lines = 0;
  for (const { file, bytes } of files) {
    parts.push({ file, before: lines });
    chunks.push(bytes, MARK);
    lines += countLines(bytes) + 2;
  }
  const source = bufferSource(Buffer.concat(chunks));
  const placeOf = (line: number): { file: string; line: number } => {
    const part = parts.findLast(({ before }) => before < line) ?? parts[0]!;
    return { file: part.file, line: line - part.before };
  };
  async function* read(): AsyncGenerator<ImportItem> {
    for await (const item of format.read(source, {})) {
      const line = 'position' in item ? /^line (\d+)$/.exec(item.position)?.[1] : undefined;
      if (line === undefined) yield item;
      else {
        const place = placeOf(Number(line));
        yield { ...item, position: `${place.file} line ${place.line}` } as ImportItem;
      }
    }
  }
  return {
    name: files.length === 1 ? files[0]!.file : folder,
    format: format.name,
    isCode: false,
    namesFiles: true,
    read,
    placeOf: ({ source: { line } }: AssetInput): Place => (line === undefined ? { file: folder } : placeOf(line)),
  };
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines += 1;
  return lines;
}
