import type { Document } from 'bson';
import type { RawValue } from '../bson/raw.js';
import type { Collection } from '../storage/collection.js';
import type { Store } from '../storage/store.js';
import type { Transaction } from '../transactions.js';

/** What an aggregation runs on. */
export interface PipelineRequest {
  readonly store: Store;
  readonly database: string;
  readonly collection: Collection | undefined;
  readonly pipeline: readonly RawValue[];
  readonly transaction: Transaction | undefined;
  readonly variables: Document;
  readonly hint?: string;
  /** For a pipeline that starts with $documents instead of a collection. */
  readonly wholeDatabase?: boolean;
  /** Throws when the operation has been given up. */
  readonly check?: () => void;
}

/** Runs a pipeline over another collection. @returns its documents */
export type RunPipeline = (request: PipelineRequest) => Promise<Document[]>;
