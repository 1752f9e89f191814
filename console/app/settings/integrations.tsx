import { wordOf } from '../format.js';
import type { Field, Values } from '../parts/fields.js';
import type { Managed } from '../parts/managed.js';
import { ManagedList } from '../parts/managed-list.js';
import { Facts, Moment, StateMark } from '../parts/text.js';

interface Integration {
  readonly integration_id: string;
  readonly kind: 'jira' | 'slack' | 'email' | 'webhook';
  readonly name: string;
  readonly state: 'active' | 'paused';
  /** Those of other kinds are null. */
  readonly settings: {
    readonly url: string | null;
    readonly project: string | null;
    readonly issue_type: string | null;
    readonly labels: readonly string[] | null;
    readonly status_mapping: readonly { readonly ticket_status: string; readonly finding_status: string }[] | null;
    readonly priority_mapping: readonly { readonly severity: string; readonly priority: string }[] | null;
    readonly comment_on_resolve: boolean | null;
    readonly recipients: readonly string[] | null;
  };
  readonly hook_path: string | null;
  readonly created_by: string;
  readonly updated_at: string;
}

const is =
  (...kinds: readonly Integration['kind'][]) =>
  ({ kind }: Values): boolean =>
    kinds.some((one) => one === kind);

const KIND: Field = {
  name: 'kind',
  label: 'To',
  kind: 'choice',
  options: ['jira', 'slack', 'email', 'webhook'],
  words: wordOf,
  isNeeded: true,
  initial: 'jira',
};

/** What every kind takes; credentials are sealed, and asked for again only where they change. */
const fieldsOf = (isNew: boolean): readonly Field[] => [
  { ...KIND, isHeld: !isNew },
  { name: 'name', label: 'Name', kind: 'text', isNeeded: true },
  { name: 'settings.url', label: 'Address', kind: 'text', isNeeded: true, when: is('jira', 'webhook') },
  { name: 'settings.project', label: 'Key of the project', kind: 'text', isNeeded: true, when: is('jira') },
  { name: 'settings.issue_type', label: 'Type of issue', kind: 'text', hint: 'Task when it is empty.', when: is('jira') },
  { name: 'settings.labels', label: 'Labels', kind: 'lines', hint: 'One a line, beside our own.', when: is('jira') },
  {
    name: 'settings.comment_on_resolve',
    label: 'Comment on the ticket when its finding is fixed',
    kind: 'flag',
    initial: true,
    when: is('jira'),
  },
  {
    name: 'settings.recipients',
    label: 'Who gets the mail',
    kind: 'lines',
    hint: 'One address a line.',
    isNeeded: true,
    when: is('email'),
  },
  {
    name: 'credentials.username',
    label: 'E-mail address of the token',
    kind: 'text',
    hint: 'Of Jira Cloud; empty for Jira Data Center.',
    when: is('jira'),
  },
  { name: 'credentials.token', label: 'API token', kind: 'secret', isNeeded: isNew, when: is('jira') },
  {
    name: 'credentials.hook_secret',
    label: 'Secret that its webhook signs with',
    kind: 'secret',
    hint: 'At least 16 characters; without it no status comes back.',
    when: is('jira'),
  },
  { name: 'credentials.url', label: 'Address of the incoming webhook', kind: 'secret', isNeeded: isNew, when: is('slack') },
  {
    name: 'credentials.secret',
    label: 'Secret to sign with',
    kind: 'secret',
    hint: 'whsec_ and base64 of 24 to 64 bytes.',
    isNeeded: isNew,
    when: is('webhook'),
  },
];

const INTEGRATIONS: Managed<Integration> = {
  one: 'integration',
  many: 'integrations',
  path: '/api/v1/integrations',
  writes: 'tenants:write',
  idOf: ({ integration_id }) => integration_id,
  titleOf: ({ name }) => name,
  columns: [
    { id: 'kind', title: 'To', width: 110, cell: ({ kind }) => wordOf(kind) },
    { id: 'state', title: 'State', width: 100, cell: ({ state }) => <StateMark state={state} /> },
    { id: 'by', title: 'Added by', width: 220, when: 'roomy', cell: ({ created_by }) => created_by },
    { id: 'when', title: 'Changed', width: 120, when: 'wide', cell: ({ updated_at }) => <Moment time={updated_at} /> },
  ],
  add: { fields: fieldsOf(true) },
  edit: { fields: fieldsOf(false), method: 'PATCH' },
  actions: [
    { label: 'Pause', method: 'PATCH', when: ({ state }) => state === 'active', body: () => ({ state: 'paused' }) },
    { label: 'Resume', method: 'PATCH', when: ({ state }) => state === 'paused', body: () => ({ state: 'active' }) },
  ],
  removal: { verb: 'Remove', follows: 'Links to tickets stay. It cannot be removed while a notification rule sends to it.' },
  details: ({ kind, state, settings, hook_path }) => (
    <Facts
      of={[
        ['To', wordOf(kind)],
        ['State', <StateMark state={state} />],
        ['Address', settings.url],
        ['Project', settings.project],
        ['Type of issue', settings.issue_type],
        ['Labels', settings.labels?.join(', ')],
        ['Recipients', settings.recipients?.join(', ')],
        ['Status of tickets', settings.status_mapping?.map((one) => `${one.ticket_status} → ${wordOf(one.finding_status)}`).join(', ')],
        ['Priorities', settings.priority_mapping?.map(({ severity, priority }) => `${severity} → ${priority}`).join(', ')],
        ['Its webhook posts to', hook_path && <code>{hook_path}</code>],
      ]}
    />
  ),
  empty: 'Nothing is connected yet: a tracker, a chat, a mailbox or a webhook that notification rules send to.',
};

export const Integrations = () => <ManagedList of={INTEGRATIONS} />;
