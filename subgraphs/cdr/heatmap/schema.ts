import { filterArguments } from '../../../kit/findings/filters.js';

export const typeDefs = `
"What detections are counted by, beside the hour."
enum DetectionGrouping {
  "The tactics of MITRE ATT&CK; a detection of several counts in each."
  tactic
  "The account, subscription, project or cluster."
  account
}

"The detections of one tactic or account, hour by hour."
type DetectionHeatmapRow {
  "Id of the tactic, or the account; null for detections without one."
  value: String
  "What the tactic is called; null for accounts, and where there is no tactic."
  label: String
  "How many detections there are in all hours."
  total: Int!
  "How many there are in each hour, in the order of the hours."
  counts: [Int!]!
}

"Detections by hour and tactic or account."
type DetectionHeatmap {
  "When the first hour begins."
  from: DateTime!
  "When the last hour ends."
  to: DateTime!
  "What the rows are."
  by: DetectionGrouping!
  "How many detections there are; one that counts in several rows is one."
  total: Int!
  "When each hour begins, in their order."
  hours: [DateTime!]!
  "All tactics in the order of the matrix, also those without detections; or the 100 accounts with the most detections."
  rows: [DetectionHeatmapRow!]!
  "Accounts with detections that have no row, because there are more than 100."
  rows_left_out: Int!
}

extend type Query {
  "Counts detections by hour (UTC) and tactic or account. The hour is that in which what was detected was last done; where its report does not say, that in which the finding was first seen."
  cdr_heatmap(
    "What the rows are."
    by: DetectionGrouping = tactic
    "From this hour on; 7 days before the end without it."
    from: DateTime
    "Up to this moment, at most 31 days later; now without it."
    to: DateTime${filterArguments(false)}
  ): DetectionHeatmap! @permission(requires: "threat:read")
}
`;
