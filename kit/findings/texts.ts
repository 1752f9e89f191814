import { defineEngineCollection, type RowOf } from '../store/collection.js';
import { list, text, textOf } from '../store/fields.js';

/** What a search looks for: titles of rules, and names of resources. */
export const SEARCHED = { rule_id: 'title', resource_uid: 'resource_name' } as const;
export type Searched = keyof typeof SEARCHED;

/** Every so many letters a part begins: what is searched is looked up from its first and from its second letter on. */
export const STEP = 2;
/** Letters of a text of which parts are kept, and texts of a rule or a resource; what has more is looked at in every search. */
const LONGEST = 256;
const MOST_TEXTS = 8;
/**
 * The titles of a rule's findings, or the names of a resource, in parts by which a search finds them: titles and names are few where findings are
 * many. `_id` is that of the row of counters, which has the texts themselves.
 */
export const findingTexts = defineEngineCollection('finding_texts', { by: textOf<Searched>(), parts: list(text) }, [
  { key: { tenant_id: 1, engine: 1, by: 1, parts: 1 } },
]);
export type FindingTextsRow = RowOf<typeof findingTexts>;

/** Texts that are kept for a rule or a resource; null where they are too many or too long. */
export const keptTexts = (texts: readonly string[]): readonly string[] | null =>
  texts.length > MOST_TEXTS || texts.some((one) => one.length > LONGEST) ? null : texts;
