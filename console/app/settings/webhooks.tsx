import { PROVIDERS, SEVERITIES } from '../../../schema/model.js';
import { ManagedList } from '../parts/managed-list.js';
import type { Field } from '../parts/fields.js';
import type { Managed } from '../parts/managed.js';
import { Facts, Moment, StateMark } from '../parts/text.js';
import { Deliveries } from './deliveries.js';

interface Webhook {
  readonly webhook_id: string;
  readonly url: string;
  readonly description: string | null;
  readonly events: readonly string[];
  /** Null where it does not narrow. */
  readonly filter: Readonly<Record<'severity' | 'engine' | 'provider' | 'account_id', readonly string[] | null>>;
  readonly state: 'active' | 'paused';
  readonly pause_reason: string | null;
  readonly previous_secret_until: string | null;
  readonly health: {
    readonly status: 'healthy' | 'failing' | 'unknown';
    readonly last_success_at: string | null;
    readonly last_error: string | null;
    readonly pending: number;
    readonly dead: number;
  };
}

/** Events that are asked for most; others of a webhook stay with it. */
const EVENTS = [
  '*',
  'finding.open',
  'finding.regress',
  'finding.resolve',
  'finding.status',
  'finding.assign',
  'finding.comment',
  'finding.suppress',
  'scan.complete',
  'sla.update',
  'cloud_account.connect',
  'user.login',
];

const FIELDS: readonly Field[] = [
  { name: 'url', label: 'Address', kind: 'text', isNeeded: true, hint: 'https, outside of private networks, without credentials in it.' },
  { name: 'description', label: 'What it is for', kind: 'text', whenEmpty: null },
  {
    name: 'events',
    label: 'Events',
    kind: 'many',
    options: EVENTS,
    isNeeded: true,
    words: (event) => (event === '*' ? 'every one' : event),
    hint: 'Kinds of entries of the audit log.',
  },
  { name: 'filter.severity', label: 'Of findings, these severities', kind: 'many', options: SEVERITIES },
  { name: 'filter.provider', label: 'Of findings, these clouds', kind: 'many', options: PROVIDERS },
  { name: 'filter.account_id', label: 'Of findings, these accounts', kind: 'lines', hint: 'One a line; empty for all.' },
  { name: 'filter.engine', label: 'Of findings, these engines', kind: 'lines', hint: 'One a line; empty for all.' },
];

const secretIn = (answer: unknown): string | null => (answer as { secret?: string | null } | null)?.secret ?? null;

const WEBHOOKS: Managed<Webhook> = {
  one: 'webhook',
  many: 'webhooks',
  path: '/api/v1/webhooks',
  writes: 'tenants:write',
  idOf: ({ webhook_id }) => webhook_id,
  titleOf: ({ url }) => url,
  columns: [
    { id: 'events', title: 'Events', width: 240, when: 'roomy', cell: ({ events }) => events.join(', ') },
    { id: 'state', title: 'State', width: 90, cell: ({ state }) => <StateMark state={state} /> },
    { id: 'health', title: 'Health', width: 100, when: 'wide', cell: ({ health }) => <StateMark state={health.status} /> },
    { id: 'waits', title: 'Waiting', width: 80, align: 'end', when: 'wide', cell: ({ health }) => health.pending },
    { id: 'dead', title: 'Given up', width: 80, align: 'end', when: 'wide', cell: ({ health }) => health.dead },
  ],
  add: { fields: FIELDS },
  edit: { fields: FIELDS, method: 'PATCH' },
  actions: [
    { label: 'Pause', method: 'PATCH', when: ({ state }) => state === 'active', body: () => ({ state: 'paused' }) },
    { label: 'Resume', method: 'PATCH', when: ({ state }) => state === 'paused', body: () => ({ state: 'active' }) },
    { label: 'Rotate the secret', method: 'PATCH', body: () => ({ rotate_secret: true }) },
  ],
  removal: { verb: 'Remove', follows: 'Its ledger goes with it, and what waits for it is not sent.' },
  once: secretIn,
  details: (webhook) => (
    <>
      <Facts
        of={[
          ['What for', webhook.description],
          ['Events', webhook.events.join(', ')],
          ['Severities', webhook.filter.severity?.join(', ')],
          ['Clouds', webhook.filter.provider?.join(', ')],
          ['Accounts', webhook.filter.account_id?.join(', ')],
          ['Engines', webhook.filter.engine?.join(', ')],
          ['State', <StateMark state={webhook.state} />],
          ['Paused', webhook.pause_reason],
          ['Health', <StateMark state={webhook.health.status} />],
          ['Last taken', <Moment time={webhook.health.last_success_at} empty="never" />],
          ['Last error', webhook.health.last_error],
          ['Secret before', webhook.previous_secret_until && <>signs until {webhook.previous_secret_until}</>],
        ]}
      />
      <Deliveries webhook={webhook.webhook_id} />
    </>
  ),
  empty: 'Nothing is told of what happens here yet: a webhook is an https address of yours that is.',
};

export const Webhooks = () => <ManagedList of={WEBHOOKS} />;
