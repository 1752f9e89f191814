import type { Outbound } from '../../../kit/outbound/outbound.js';
import { GithubClient, type RepositoryCredentials, type RepositorySettings } from './github.js';
import { GitlabClient } from './gitlab.js';
import { JiraClient } from './jira-client.js';
import type { JiraCredentials, JiraSettings } from './jira-settings.js';
import { ServiceNowClient, type ServiceNowCredentials, type ServiceNowSettings } from './service-now.js';
import type { Tracker } from './tracker.js';

/** What may be shown of a connection to each tracker. */
export interface TrackersSettings {
  jira: JiraSettings;
  github: RepositorySettings;
  gitlab: RepositorySettings;
  servicenow: ServiceNowSettings;
}

/** What is kept sealed of it. */
export interface TrackersCredentials {
  jira: JiraCredentials;
  github: RepositoryCredentials;
  gitlab: RepositoryCredentials;
  servicenow: ServiceNowCredentials;
}
export type TrackerKind = keyof TrackersSettings;

/** The trackers. Another one is its client and a line here, its fields in `integrations`, and a hook where status comes back. */
const TRACKERS: {
  readonly [Kind in TrackerKind]: new (
    outbound: Outbound,
    settings: TrackersSettings[Kind],
    credentials: TrackersCredentials[Kind],
  ) => Tracker;
} = { jira: JiraClient, github: GithubClient, gitlab: GitlabClient, servicenow: ServiceNowClient };

export const TRACKER_KINDS = Object.keys(TRACKERS) as readonly TrackerKind[];

export const isTrackerKind = (kind: string): kind is TrackerKind => Object.hasOwn(TRACKERS, kind);

/** The client of one tracker. */
export const trackerOf = <Kind extends TrackerKind>(
  kind: Kind,
  outbound: Outbound,
  settings: TrackersSettings[Kind],
  credentials: TrackersCredentials[Kind],
): Tracker => new TRACKERS[kind](outbound, settings, credentials);
