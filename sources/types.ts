import type { AssetInput, ImportItem } from '../importers/types.js';

/** What an inventory is read from: a report, manifests, source code. */
export interface InventorySource {
  /** As the caller named it, or what was found below that. */
  readonly name: string;
  readonly format: string;
  /** Whether it is source code, whose resources stand in lines of files. */
  readonly isCode: boolean;
  /** Positions of what is broken name their file: it is made of several. */
  readonly namesFiles: boolean;
  /** Reads it from its start; each call is a read of its own. */
  read(): AsyncIterable<ImportItem>;
  /** The file, and the line where it is known, in which a resource stands. */
  placeOf(asset: AssetInput): Place;
  /** Whether the caller asked for a resource: those of other files of the same module surround it only. */
  wants?(asset: AssetInput): boolean;
  /** Whether a file, by where it lies, is one of those that the source is made from as a whole: a change of it may change any of its resources. */
  isMadeFrom?(file: string): boolean;
  /** What was met on the way and not looked into. Complete once it has been read. */
  skipped?(): readonly Skipped[];
}

/** What was named for a check, ready to be read. */
export interface Found {
  sources: InventorySource[];
  /** Those of files that were named by themselves: each must hold something. */
  named: Set<InventorySource>;
  /** A folder or a glob was named, in which files are found and passed over. */
  isSearch: boolean;
  /** What was named and holds nothing to evaluate. */
  empty: string[];
  /** What describes infrastructure and is not evaluated. */
  skipped: Skipped[];
  /** What was asked for and cannot be read. */
  unreadable: Unreadable[];
  /** Files in folders that hold nothing to check: of other kinds, or left out by ignore files. */
  others: number;
  ignored: number;
}

export interface Place {
  file: string;
  line?: number | undefined;
  /** The last line of it. */
  endLine?: number | undefined;
}

/** What holds infrastructure, or may, and is not evaluated. */
export interface Skipped {
  file: string;
  line?: number;
  reason: string;
}

/** What cannot be read although it was asked for. */
export interface Unreadable {
  file: string;
  reason: string;
}
