import { MISSING_ENGINES, SELECTION_ARGUMENTS } from '../list/schema.js';

export const typeDefs = `
"Findings that are open or worked on, of one range of ages."
type FindingAgeBand {
  "Days (UTC) since they were first seen, at least."
  from_days: Int!
  "Fewer days than these; null for the oldest."
  to_days: Int
  "How many there are."
  total: Int!
  "How many there are by severity."
  counts: SeverityCounts!
}

"Findings that came and went on one day (UTC)."
type FindingDay {
  "The day: \`2026-01-31\`."
  date: String!
  "Findings that were first seen on it, whatever became of them."
  new: Int!
  "Findings that were resolved on it and still are."
  resolved: Int!
}

"How old findings are, how long they take to resolve, and how many come and go."
type FindingAgeing {
  "Findings that are open or worked on."
  open: Int!
  "Mean number of days since these were first seen; null where there are none."
  mean_age_days: Float
  "These by age, the youngest first."
  bands: [FindingAgeBand!]!
  "Findings that were resolved in the days that were asked for, and still are."
  resolved: Int!
  "Mean time in hours for which these had been open, since they were first seen or last came back; null where there are none."
  mean_hours_to_resolve: Float
  "The days, oldest first."
  days: [FindingDay!]!${MISSING_ENGINES}
}

extend type Query {
  "Tells how old the open findings of every engine that the caller may read are, how long resolved ones took, and how many came and went by day, with the filters of their list; suppressed ones count as new unless \`status\` says otherwise."
  finding_ageing(
    "Days up to today that are told one by one, 1 to 366."
    days: Int = 30${SELECTION_ARGUMENTS}
  ): FindingAgeing! @permission(requires: "check:read")
}
`;
