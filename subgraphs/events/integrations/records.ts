import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, object, oneOf, text, textOf } from '../../../kit/store/fields.js';
import type { S3Credentials, S3Settings } from '../channels/s3.js';
import { isTrackerKind, type TrackerKind, type TrackersCredentials, type TrackersSettings } from '../channels/trackers.js';

/** What may be shown of each kind. */
export interface KindSettings extends TrackersSettings {
  slack: Record<never, never>;
  teams: Record<never, never>;
  email: { recipients: string[] };
  webhook: { url: string };
  s3: S3Settings;
}

/** What is sealed in the row and never shown, logged or returned. */
export interface KindCredentials extends TrackersCredentials {
  slack: { url: string };
  teams: { url: string };
  email: Record<never, never>;
  webhook: { secret: string };
  s3: S3Credentials;
}

export type IntegrationKind = keyof KindSettings;

/** A connection to a tracker, a chat, a mailbox, a webhook or a bucket. `_id` is the integration's id: random, so that a hook finds its tenant by it. */
export const integrations = defineCollection(
  'integrations',
  {
    kind: textOf<IntegrationKind>(),
    name: text,
    state: oneOf('active', 'paused'),
    settings: object<KindSettings[IntegrationKind]>(),
    /** The credentials as JSON, sealed for this integration under the master key's purpose `integrations`. */
    credentials: text,
    created_by: text,
    created_at: date,
    updated_at: date,
  },
  [{ key: { tenant_id: 1, name: 1 } }],
);
/** A row of one kind, or of any. */
export type IntegrationRow<Kind extends IntegrationKind = IntegrationKind> = RowOf<typeof integrations> & {
  kind: Kind;
  settings: KindSettings[Kind];
};

/** A row of a kind that makes tickets. */
export type TrackerRow = IntegrationRow & { kind: TrackerKind; settings: TrackersSettings[TrackerKind] };

export const isTracker = (row: IntegrationRow | null): row is TrackerRow => row !== null && isTrackerKind(row.kind);
