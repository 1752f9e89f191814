import type { ImportItem, ImportOptions } from '../types.js';
import type { Answered } from './answers.js';
import { namedThing, type CallAnswers, type CalledThing } from './call-answers.js';
import type { Item } from './item.js';
import { resourcesOf, type Telling } from './map.js';
import { assetsOf } from './read.js';
import { cloudTable } from './table.js';

const placeOf = ({ account_id, region }: ImportOptions): Telling['place'] => ({ account: account_id, region });

/** The assets that a thing tells that AWS has answered. @param answers what calls about single things have answered beside */
export function awsAssets(
  { thing, item, at, summary }: Answered,
  answers: CallAnswers | undefined,
  format: string,
  options: ImportOptions,
): Generator<ImportItem> {
  const telling: Telling = { place: placeOf(options), at, summary, answerTo: answers?.answerTo };
  return assetsOf(resourcesOf(cloudTable('aws'), thing, item, telling), format, options);
}

/** The assets of a thing of which only calls about it tell. */
export function calledAssets(called: CalledThing, answers: CallAnswers, format: string, options: ImportOptions): Generator<ImportItem> {
  const place = placeOf(options);
  const named: Item = namedThing(called, place);
  // the name is all that there is of it: its attributes stand in the table under the names that the interface gives them
  const sources = Object.fromEntries(Object.keys(named).map((name) => [name, name]));
  const thing = { ...called.thing, values: sources, same: [], never: [], more: [], has: [] };
  const telling: Telling = { place, at: called.at, summary: true, answerTo: answers.answerTo };
  return assetsOf(resourcesOf({ ...cloudTable('aws'), all: {} }, thing, named, telling), format, options);
}
