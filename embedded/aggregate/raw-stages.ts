import type { Document } from 'bson';
import { elementsOf, type RawElement } from '../bson/raw.js';
import { type DocumentStream, streamOf } from '../cursors.js';
import { arrayOf, documentOf, rawDocument, rawValueOf, toRaw } from '../bson/write.js';
import { parseSort, Sorter, sortKeyOf } from '../plan/sort.js';
import { compileFilter } from '../query/match.js';
import { parseFilter } from '../query/parse.js';
import { compileProjection } from '../query/projection.js';
import { compileRawGroup } from './raw-group.js';

/** One stage over raw documents. */
export type RawStage = (documents: DocumentStream) => DocumentStream;

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
  return async function* (documents) {
    for await (const batch of documents) yield batch.filter((document) => matches(document, 0));
  };
}

function sort(spec: Document, limit: number): RawStage {
  const fields = parseSort(elementsOf(toRaw(spec)));
  return async function* (documents) {
    const sorter = new Sorter<Buffer>(limit);
    for await (const batch of documents) for (const document of batch) sorter.add(sortKeyOf(document, 0, fields), document);
    yield sorter.finish();
  };
}

async function* slice(documents: DocumentStream, skip: number, limit: number): DocumentStream {
  let toSkip = skip;
  let left = limit;
  if (left <= 0) return;
  for await (const batch of documents) {
    const taken = batch.slice(toSkip, toSkip + left);
    toSkip = Math.max(0, toSkip - batch.length);
    left -= taken.length;
    yield taken;
    if (left <= 0) return;
  }
}

async function* counted(documents: DocumentStream, name: string): DocumentStream {
  let total = 0;
  for await (const batch of documents) total += batch.length;
  if (total > 0) yield [toRaw({ [name]: total })];
}

function group(spec: Document, variables: Document): RawStage | undefined {
  if (!compileRawGroup(spec, variables)) return undefined;
  return async function* (documents) {
    const groups = compileRawGroup(spec, variables)!;
    for await (const batch of documents) for (const document of batch) groups.add(document);
    yield groups.finish();
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
  return async function* (documents) {
    for await (const batch of documents) yield batch.map(projector);
  };
}

function facet(pipelines: Record<string, Document[]>, variables: Document): RawStage | undefined {
  const compiled: { name: string; stages: RawStage[] }[] = [];
  for (const [name, pipeline] of Object.entries(pipelines)) {
    const stages = pipeline.map((stage) => compileRawStage(stage, variables));
    if (!stages.every((s) => s !== undefined)) return undefined;
    compiled.push({ name, stages });
  }
  return async function* (documents) {
    const all = await collect(documents);
    const elements: RawElement[] = [];
    for (const { name, stages } of compiled) {
      let results = streamOf(all);
      for (const stage of stages) results = stage(results);
      elements.push({ name, value: arrayOf((await collect(results)).map(rawDocument)) });
    }
    yield [documentOf(elements)];
  };
}

/** All documents of a stream. */
export async function collect(documents: DocumentStream): Promise<Buffer[]> {
  const all: Buffer[] = [];
  for await (const batch of documents) for (const document of batch) all.push(document);
  return all;
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
