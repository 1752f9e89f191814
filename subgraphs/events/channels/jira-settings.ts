import type { FindingStatus, Severity } from '../../../schema/model.js';

/** What may be shown of a connection to Jira. */
export interface JiraSettings {
  /** Address of the site, without a slash at its end. */
  url: string;
  project: string;
  issue_type: string;
  labels: string[];
  status_mapping: { ticket_status: string; finding_status: FindingStatus }[];
  priority_mapping: { severity: Severity; priority: string }[];
  /** Whether a ticket gets a comment when its finding is resolved. */
  comment_on_resolve: boolean;
}

/** What is kept sealed of it. */
export interface JiraCredentials {
  /** With an address, the token is one of Jira Cloud; without, a personal access token of Jira Data Center. */
  username?: string;
  token: string;
  /** What Jira signs its webhooks with; without one, no status comes back. */
  hook_secret?: string;
}
