import { defineCollection } from '../../../kit/store/collection.js';
import type { JiraCredentials, JiraSettings } from '../channels/jira-settings.js';

export const INTEGRATION_KINDS = ['jira', 'slack', 'email', 'webhook'] as const;
export type IntegrationKind = (typeof INTEGRATION_KINDS)[number];

/** What may be shown of each kind. */
export interface KindSettings {
  jira: JiraSettings;
  slack: Record<never, never>;
  email: { recipients: string[] };
  webhook: { url: string };
}

/** What is sealed in the row and never shown, logged or returned. */
export interface KindCredentials {
  jira: JiraCredentials;
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
