import { frameworksOneByOne } from '../../../catalog/assessed.js';
import { createTimeSlice } from '../../../kit/base/time-slice.js';
import { isCorrectable, wordsOf } from './correct.js';
import type { SearchHit } from './hit.js';

/** What the catalog's frameworks hold, each with what it is searched by. */
export interface Catalogued {
  readonly hit: SearchHit;
  readonly text: string;
}

let catalogued: Promise<readonly Catalogued[]> | undefined;
/** The catalog's frameworks and their controls, made once a process, framework by framework. */
export const loadCatalogued = () => (catalogued ??= readCatalogued());

async function readCatalogued(): Promise<Catalogued[]> {
  const pause = createTimeSlice();
  const all: Catalogued[] = [];
  const add = (kind: 'framework' | 'control', id: string, title: string, detail: string | null, named: string) =>
    all.push({ hit: { kind, id, title, detail, engine: null, severity: null }, text: `${named}\n${title}`.toLowerCase() });
  for (const { framework_id, name, controls } of frameworksOneByOne()) {
    await pause();
    add('framework', framework_id, name, null, framework_id);
    for (const { control_id, title } of controls) add('control', `${framework_id}/${control_id}`, title, name, control_id);
  }
  return all;
}

let words: Promise<ReadonlyMap<string, number>> | undefined;

/** The words of names and titles in the catalog's frameworks, without those that have digits, each with how often it stands there; counted once a process. */
export const catalogWords = () => (words ??= countWords());

async function countWords(): Promise<ReadonlyMap<string, number>> {
  const pause = createTimeSlice();
  const counts = new Map<string, number>();
  for (const { text } of await loadCatalogued()) {
    await pause();
    for (const word of wordsOf(text)) if (isCorrectable(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}
