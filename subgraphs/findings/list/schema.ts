import { everyFilter } from '../../../kit/findings/every-filter.js';
import { argumentsOf } from '../../../kit/findings/filters.js';
import { ITEM_TYPE } from '../../../kit/findings/item.js';
import { SORT_ARGUMENT } from '../../../kit/findings/order.js';
import { readSharedSchema } from '../../../kit/engine/read-schema.js';

/** The arguments by which everything over all engines is filtered. */
export const SELECTION_ARGUMENTS = argumentsOf(everyFilter());

/** View segments that an answer over engines names. */
export const MISSING_ENGINES = `
  "View segments of the engines that did not answer within the time budget; nothing of theirs is shown or counted."
  degradedEngines: [String!]!
  "View segments of the engines that the caller's role may not read; nothing of theirs is shown or counted."
  restrictedEngines: [String!]!`;

export const typeDefs = `${ITEM_TYPE}${readSharedSchema('findings')}
"One page of the findings of all engines that the caller may read."
type EveryFindingPage {
  "The findings of this page."
  items: [Finding!]!
  "Exact number of findings in the whole list."
  total: Int!
  "Number of this page, from 1; 1 behind a cursor."
  page: Int!
  "Findings a page."
  page_size: Int!
  "Whether another page follows."
  has_more: Boolean!
  "What to send as \`after\` for the findings behind this page, whatever is written in between; null on the last page."
  next_cursor: String${MISSING_ENGINES}
}

extend type Query {
  "Lists the findings of every engine that the caller may read, with the filters of the engines' lists and their negations."
  findings(
    "Number of the page, from 1."
    page: Int = 1
    "Findings a page, 1 to 200."
    page_size: Int = 50
    "The next_cursor of the page before, in place of a page number."
    after: String${SELECTION_ARGUMENTS}${SORT_ARGUMENT}
  ): EveryFindingPage! @permission(requires: "check:read")

  "The findings of one engine in an order, for exports. Nothing but the engine that is named is read, whatever the filter names."
  finding_rows(
    "Name of the engine."
    of: String!
    "Only findings behind the place that the answer before gave."
    after: String
    "At most this many, 1 to 1000."
    limit: Int!
    "Whether evidence, remediation and mappings come with each."
    whole: Boolean!${SELECTION_ARGUMENTS}${SORT_ARGUMENT}
  ): FindingRows! @permission(requires: "model:finding_rows") @inaccessible
}

"Findings of one engine, in an order."
type FindingRows @inaccessible {
  "Each with the fields of a list's item, and with more where that was asked for."
  items: [JSON!]!
  "By what each of them is put in order among those of other engines."
  order: [JSON!]!
  "What to send as \`after\` for those behind; null after the last."
  next: String
}
`;
