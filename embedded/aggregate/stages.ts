import type { Document } from 'bson';
import { Lazy, type Iterator as MingoIterator } from 'mingo/lazy';
import { $group as mingoGroup } from 'mingo/operators/pipeline';
import { decodeDocument } from '../bson/decode.js';
import { elementsOf } from '../bson/raw.js';
import { rawDocument, toRaw } from '../bson/write.js';
import { compileFilter } from '../query/match.js';
import { parseFilter } from '../query/parse.js';
import { compileRawGroup } from './raw-group.js';
import { parseSort, Sorter, sortKeyOf } from '../plan/sort.js';

interface StageOptions {
  readonly variables?: Document;
}

/** $match after other stages: the store's own matcher, on the document as BSON. */
function $match(documents: MingoIterator, filter: Document, options: StageOptions): MingoIterator {
  const matches = compileFilter(parseFilter(rawDocument(toRaw(filter))), options.variables);
  return documents.filter((document) => matches(toRaw(document as Document), 0));
}

/** $sort in MongoDB's order across types. */
function $sort(documents: MingoIterator, sort: Document): MingoIterator {
  const fields = parseSort(elementsOf(toRaw(sort)));
  const roots = [...new Set(fields.map((f) => f.path.text.split('.')[0]!))];
  return documents.transform((items: Document[]) => {
    const sorter = new Sorter<Document>();
    for (const item of items) {
      const part: Document = {};
      for (const root of roots) if (item[root] !== undefined) part[root] = item[root];
      sorter.add(sortKeyOf(toRaw(part), 0, fields), item);
    }
    return Lazy(sorter.finish());
  });
}

/** $group with MongoDB's equality and order; with an accumulator that the store does not have itself, mingo's. */
function $group(documents: MingoIterator, spec: Document, options: StageOptions): MingoIterator {
  const groups = compileRawGroup(spec, options.variables ?? {});
  if (!groups) return mingoGroup(documents, spec as Parameters<typeof mingoGroup>[1], options as Parameters<typeof mingoGroup>[2]);
  return documents.transform((items: Document[]) => {
    for (const item of items) groups.add(toRaw(item));
    return Lazy(groups.finish().map((bytes) => decodeDocument(bytes)));
  });
}

/** The stages that replace mingo's. */
export const ownStages = { $match, $sort, $group };
