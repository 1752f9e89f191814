import { countText } from '../format.js';
import type { Field } from '../parts/fields.js';
import { SettingView, type Setting } from '../parts/setting.js';
import { Facts, Moment } from '../parts/text.js';

/** `GET /audit-logs/siem-export`. */
interface SiemExport {
  readonly kind: 'webhook' | 'object_storage' | null;
  readonly enabled: boolean;
  readonly position: number;
  readonly pending: number;
  readonly last_success_at: string | null;
  readonly last_error: string | null;
  readonly next_try_at: string | null;
  readonly updated_at: string | null;
  readonly updated_by: string | null;
}

const KINDS: Readonly<Record<string, string>> = { webhook: 'A webhook', object_storage: 'A bucket of S3 or a service like it' };
const FORMATS: Readonly<Record<string, string>> = { ndjson: 'Entries as JSON, one a line', ocsf: 'Events of OCSF, one a line' };

const toBucket: Pick<Field, 'when'> = { when: ({ kind }) => kind === 'object_storage' };
const toWebhook: Pick<Field, 'when'> = { when: ({ kind }) => kind === 'webhook' };

const FIELDS: readonly Field[] = [
  {
    name: 'kind',
    label: 'Where it goes',
    kind: 'choice',
    options: Object.keys(KINDS),
    words: (kind) => KINDS[kind] ?? kind,
    isNeeded: true,
  },
  { name: 'enabled', label: 'Entries are sent', kind: 'flag' },
  { name: 'format', label: 'As', kind: 'choice', options: Object.keys(FORMATS), words: (format) => FORMATS[format] ?? format },
  { name: 'webhook.url', label: 'Address', kind: 'text', isNeeded: true, hint: 'https, outside of private networks.', ...toWebhook },
  {
    name: 'webhook.secret',
    label: 'Secret to sign with',
    kind: 'secret',
    hint: 'Empty: the one that is kept, or one is made and shown once.',
    ...toWebhook,
  },
  { name: 'object_storage.endpoint', label: 'Address of the service', kind: 'text', hint: 'Empty for AWS.', ...toBucket },
  { name: 'object_storage.region', label: 'Region', kind: 'text', isNeeded: true, ...toBucket },
  { name: 'object_storage.bucket', label: 'Bucket', kind: 'text', isNeeded: true, ...toBucket },
  { name: 'object_storage.prefix', label: 'Names begin with', kind: 'text', ...toBucket },
  { name: 'object_storage.access_key_id', label: 'Id of the access key', kind: 'text', isNeeded: true, ...toBucket },
  {
    name: 'object_storage.secret_access_key',
    label: 'Secret of the access key',
    kind: 'secret',
    hint: 'Empty: the one that is kept, for the same id.',
    ...toBucket,
  },
  { name: 'object_storage.path_style', label: 'The bucket stands in the path', kind: 'flag', ...toBucket },
  { name: 'replay_from', label: 'Send again from', kind: 'date', hint: 'Empty: it goes on where it is.' },
];

const SIEM: Setting<SiemExport> = {
  what: 'the export of the audit log to a SIEM',
  path: '/api/v1/audit-logs/siem-export',
  writes: 'tenants:write',
  fields: FIELDS,
  asForm: (now) => (now.kind === null ? { kind: 'webhook', enabled: true, format: 'ndjson' } : now),
  facts: (now) => (
    <Facts
      of={[
        ['Now', now.kind === null ? 'nothing is sent' : now.enabled ? 'entries are sent' : 'entries wait'],
        ['Delivered up to', now.kind && `entry ${countText(now.position)}`],
        ['Waiting', now.kind && countText(now.pending)],
        ['Last delivery', now.kind && <Moment time={now.last_success_at} empty="none yet" />],
        ['Last error', now.last_error],
        ['Next try', now.next_try_at && <Moment time={now.next_try_at} />],
        ['Set', now.updated_at && <Moment time={now.updated_at} />],
        ['By', now.updated_by],
      ]}
    />
  ),
  once: (answer) => (answer as { signing_secret?: string | null } | null)?.signing_secret ?? null,
};

/** Where the audit log goes beside this store. */
export const Siem = () => <SettingView of={SIEM} />;
