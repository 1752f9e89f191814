import type { StatusMapping, TrackerSettings } from './tracker.js';

/** What may be shown of a connection to Jira. */
export interface JiraSettings extends TrackerSettings {
  project: string;
  issue_type: string;
  labels: string[];
  status_mapping: StatusMapping;
}

/** What is kept sealed of it. */
export interface JiraCredentials {
  /** With an address, the token is one of Jira Cloud; without, a personal access token of Jira Data Center. */
  username?: string;
  token: string;
  /** What Jira signs its webhooks with; without one, no status comes back. */
  hook_secret?: string;
}
