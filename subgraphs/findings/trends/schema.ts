import { argumentsOf } from '../../../kit/findings/filters.js';
import { ENGINE_FILTERS } from '../../../kit/findings/every-filter.js';

export const typeDefs = `
"How the estate stood on one day (UTC), as it was last looked at; of the present day, how its findings stand now."
type DashboardDay {
  "The day: \`2026-01-31\`."
  date: String!
  "Posture score of the findings that the caller may read; null where engines or providers are asked for, whose resources are not known apart."
  posture_score: Int
  "Resources of the whole inventory."
  resources: Int!
  "Findings that were OPEN or IN_PROGRESS."
  open: SeverityCounts!
  "Findings that were first seen on the day."
  new: SeverityCounts!
  "Findings that were resolved on the day and stayed so until it was last looked at."
  resolved: SeverityCounts!
  "Findings that came back on the day."
  regressed: SeverityCounts!
  "Mean time in hours for which the findings that were resolved on the day had been open, since they were first seen or last came back; null where none was resolved."
  mean_hours_to_resolve: Float
}

"How the estate stood, day by day."
type DashboardTrends {
  "The days, oldest first; those before the first snapshot are not known."
  days: [DashboardDay!]!
  "View segments of the engines that the caller's role may not read; nothing of theirs is counted."
  restrictedEngines: [String!]!
}

extend type Query {
  "Shows how the estate stood by day: posture score, and findings that were open, new, resolved and regressed, by severity."
  dashboard_trends(
    "From this day on; 30 days before the last one without it."
    from: DateTime
    "Up to this day; today without it."
    to: DateTime
    "Only findings of these providers."
    provider: [Provider!]${argumentsOf(ENGINE_FILTERS)}
  ): DashboardTrends! @permission(requires: "reports:read")
}
`;
