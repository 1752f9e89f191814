import type { Document } from 'bson';
import { Lazy, type Iterator as MingoIterator } from 'mingo/lazy';

interface BoundStage {
  readonly run: (documents: Document[]) => Document[];
}

/** A stage that runs a function over all documents. */
export function bound(run: (documents: Document[]) => Document[]): Document {
  return { $bound: { run } satisfies BoundStage };
}

/** The stage operator behind `bound`. */
export function $bound(documents: MingoIterator, { run }: BoundStage): MingoIterator {
  return documents.transform((items: Document[]) => Lazy(run(items)));
}
