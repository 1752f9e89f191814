import type { Document } from 'bson';
import { elementsOf, type RawElement } from '../bson/raw.js';
import { arrayOf, documentOf, rawDocument, rawValueOf, toRaw } from '../bson/write.js';
import { parseSort, Sorter, sortKeyOf } from '../plan/sort.js';
import { compileFilter } from '../query/match.js';
import { parseFilter } from '../query/parse.js';
import { compileProjection } from '../query/projection.js';
import { compileRawGroup } from './raw-group.js';

/** One stage over raw documents. */
export type RawStage = (documents: Iterable<Buffer>) => Iterable<Buffer>;

/** Compiles a stage to work on raw documents; undefined when it needs the expression engine. */
export function compileRawStage(stage: Document, variables: Document): RawStage | undefined {
  const name = Object.keys(stage)[0];
  const argument: unknown = name === undefined ? undefined : stage[name];
  switch (name) {
    case '$match':
      return match(argument as Document, variables);
    case '$sort':
      return sort(argument as Document, Infinity);
    case '$skip':
      return (documents) => slice(documents, argument as number, Infinity);
    case '$limit':
      return (documents) => slice(documents, 0, argument as number);
    case '$count':
      return (documents) => counted(documents, argument as string);
    case '$group':
      return group(argument as Document, variables);
    case '$sortByCount':
      return sortByCount(argument, variables);
    case '$project':
      return project(argument as Document);
    case '$facet':
      return facet(argument as Record<string, Document[]>, variables);
    default:
      return undefined;
  }
}

function match(filter: Document, variables: Document): RawStage {
  const matches = compileFilter(parseFilter(rawDocument(toRaw(filter))), variables);
  return function* (documents) {
    for (const document of documents) if (matches(document, 0)) yield document;
  };
}

function sort(spec: Document, limit: number): RawStage {
  const fields = parseSort(elementsOf(toRaw(spec)));
  return (documents) => {
    const sorter = new Sorter<Buffer>(limit);
    for (const document of documents) sorter.add(sortKeyOf(document, 0, fields), document);
    return sorter.finish();
  };
}

function* slice(documents: Iterable<Buffer>, skip: number, limit: number): Iterable<Buffer> {
  let at = 0;
  if (limit <= 0) return;
  for (const document of documents) {
    if (at++ < skip) continue;
    yield document;
    if (at - skip >= limit) return;
  }
}

function counted(documents: Iterable<Buffer>, name: string): Buffer[] {
  let total = 0;
  for (const _document of documents) total++;
  return total > 0 ? [toRaw({ [name]: total })] : [];
}

function group(spec: Document, variables: Document): RawStage | undefined {
  if (!compileRawGroup(spec, variables)) return undefined;
  return (documents) => {
    const groups = compileRawGroup(spec, variables)!;
    for (const document of documents) groups.add(document);
    return groups.finish();
  };
}

function sortByCount(expression: unknown, variables: Document): RawStage | undefined {
  const groups = group({ _id: expression, count: { $sum: 1 } }, variables);
  if (!groups) return undefined;
  const ordered = sort({ count: -1 }, Infinity);
  return (documents) => ordered(groups(documents));
}

/** A $project of plain inclusions or exclusions is a find projection. */
function project(spec: Document): RawStage | undefined {
  const plain = Object.values(spec).every((v) => v === 0 || v === 1 || v === true || v === false);
  const projector = plain ? compileProjection(rawDocument(toRaw(spec))) : undefined;
  if (!projector) return undefined;
  return function* (documents) {
    for (const document of documents) yield projector(document);
  };
}

function facet(pipelines: Record<string, Document[]>, variables: Document): RawStage | undefined {
  const compiled: { name: string; stages: RawStage[] }[] = [];
  for (const [name, pipeline] of Object.entries(pipelines)) {
    const stages = pipeline.map((stage) => compileRawStage(stage, variables));
    if (!stages.every((s) => s !== undefined)) return undefined;
    compiled.push({ name, stages });
  }
  return (documents) => {
    const all = [...documents];
    const elements: RawElement[] = compiled.map(({ name, stages }) => {
      let results: Iterable<Buffer> = all;
      for (const stage of stages) results = stage(results);
      return { name, value: arrayOf([...results].map(rawDocument)) };
    });
    return [documentOf(elements)];
  };
}

/** The document of a count that was made without looking at documents. */
export function countDocument(name: string, id: RawElement['value'] | undefined, total: number): Buffer {
  const value = rawValueOf(total);
  return documentOf(
    id
      ? [
          { name: '_id', value: id },
          { name, value },
        ]
      : [{ name, value }],
  );
}
