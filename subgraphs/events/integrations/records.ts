import type { FindingStatus, Severity } from '../../../schema/model.js';
import { defineCollection } from '../../../kit/store/collection.js';

export const INTEGRATION_KINDS = ['jira', 'slack', 'email', 'webhook'] as const;
export type IntegrationKind = (typeof INTEGRATION_KINDS)[number];

/** What may be shown of each kind. */
export interface KindSettings {
  jira: {
    /** Address of the site, without a slash at its end. */
    url: string;
    project: string;
    issue_type: string;
    labels: string[];
    status_mapping: { ticket_status: string; finding_status: FindingStatus }[];
    priority_mapping: { severity: Severity; priority: string }[];
    /** Whether a ticket gets a comment when its finding is resolved. */
    comment_on_resolve: boolean;
  };
  slack: Record<never, never>;
  email: { recipients: string[] };
  webhook: { url: string };
}

/** What is sealed in the row and never shown, logged or returned. */
export interface KindCredentials {
  jira: {
    /** With an address, the token is one of Jira Cloud; without, a personal access token of Jira Data Center. */
    username?: string;
    token: string;
    /** What Jira signs its webhooks with; without one, no status comes back. */
    hook_secret?: string;
  };
  slack: { url: string };
  email: Record<never, never>;
  webhook: { secret: string };
}

/** A connection to a tracker, a chat, a mailbox or a webhook. `_id` is the integration's id: random, so that a hook finds its tenant by it. */
export interface IntegrationRow<Kind extends IntegrationKind = IntegrationKind> {
  _id: string;
  tenant_id: string;
  kind: Kind;
  name: string;
  state: 'active' | 'paused';
  settings: KindSettings[Kind];
  /** The credentials as JSON, sealed for this integration under the master key's purpose `integrations`. */
  credentials: string;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

export const integrations = defineCollection<IntegrationRow>(
  'integrations',
  {
    kind: String,
    name: String,
    state: String,
    settings: Object,
    credentials: String,
    created_by: String,
    created_at: Date,
    updated_at: Date,
  },
  [{ key: { tenant_id: 1, name: 1 } }],
);
