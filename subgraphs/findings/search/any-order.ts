import type { EngineContext } from '../../../kit/engine/context.js';
import type { SearchHit } from './hit.js';
import type { Found, SearchSource } from './sources.js';

/** Words that a text may have, and letters of the shortest that is searched by itself; shorter ones are only compared. */
const MOST_WORDS = 5;
const SHORTEST = 3;
/** Hits of the rarest word that are held against the others. */
const LOOKED_AT = 200;

const textOf = ({ id, title, detail, searched }: SearchHit): string => `${id} ${title} ${detail ?? ''} ${searched ?? ''}`.toLowerCase();
const both = (one: readonly string[] = [], other: readonly string[] = []): string[] => [...new Set([...one, ...other])];

/**
 * What a source finds of a text: of several words first what has them as they stand, then what has all of them in any order, of that first what begins with
 * one. The others are looked for among the hits of the rarest word, where these are 200 at most; where each word has more, the text is searched as it stands.
 */
export async function findInAnyOrder(
  source: SearchSource,
  context: EngineContext,
  text: string,
  page: number,
  pageSize: number,
): Promise<Found> {
  const asItStands = () => source.find(context, text, page, pageSize);
  const words = [...new Set(text.toLowerCase().split(/\s+/))];
  const searched = words.filter(({ length }) => length >= SHORTEST);
  if (words.length < 2 || words.length > MOST_WORDS || searched.length === 0) return asItStands();
  const found = await Promise.all(searched.map((word) => source.find(context, word, 1, LOOKED_AT)));
  const rarest = found.reduce((least, one) => (one.total < least.total ? one : least));
  if (rarest.total > LOOKED_AT) return asItStands();
  // what has the text has each of its words, so that this is all of it
  const phrase = rarest.total === 0 ? rarest : await source.find(context, text, 1, LOOKED_AT);
  const first = new Set(phrase.items.map(({ id, engine }) => `${engine} ${id}`));
  const beginsWithOne = ({ title }: SearchHit) => words.some((word) => title.toLowerCase().startsWith(word));
  const others = rarest.items
    .filter((hit) => !first.has(`${hit.engine} ${hit.id}`) && words.every((word) => textOf(hit).includes(word)))
    .sort((one, other) => Number(beginsWithOne(other)) - Number(beginsWithOne(one)));
  const all = [...phrase.items, ...others];
  return {
    items: all.slice((page - 1) * pageSize, page * pageSize),
    total: all.length,
    degradedEngines: both(rarest.degradedEngines, phrase.degradedEngines),
    restrictedEngines: both(rarest.restrictedEngines, phrase.restrictedEngines),
  };
}
