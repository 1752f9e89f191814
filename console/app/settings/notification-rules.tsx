import { useState } from 'preact/hooks';
import { PROVIDERS, SEVERITIES, type Severity } from '../../../schema/model.js';
import { refusalFor, send, type Refusal } from '../api.js';
import { findingHref } from '../findings/finding.js';
import { counted, idFrom, wordOf } from '../format.js';
import type { Page } from '../paged-list.js';
import { bodyOf, type Field, type Values } from '../parts/fields.js';
import type { Managed } from '../parts/managed.js';
import { ManagedList } from '../parts/managed-list.js';
import { Refused } from '../parts/refused.js';
import { Facts, Moment, SeverityMark, StateMark } from '../parts/text.js';
import { useAsk } from '../use-ask.js';

interface Rule {
  readonly id: string;
  readonly name: string;
  readonly event: 'new' | 'regressed' | 'overdue';
  readonly filter: Readonly<Record<'engine' | 'severity' | 'provider' | 'account_id' | 'rule_id' | 'resource_type', readonly string[]>>;
  readonly integration_id: string | null;
  readonly recipients: readonly string[];
  readonly throttle_minutes: number;
  readonly enabled: boolean;
  readonly last_delivery: {
    readonly state: string;
    readonly findings: number;
    readonly error: string | null;
    readonly created_at: string;
  } | null;
  readonly matches: {
    readonly total: number;
    readonly total_is_exact: boolean;
    readonly items: readonly {
      readonly engine: string;
      readonly finding_id: string;
      readonly title: string;
      readonly severity: Severity;
    }[];
  } | null;
}

interface Channel {
  readonly integration_id: string;
  readonly name: string;
}

const PATH = '/api/v1/notification-rules';

const fieldsOf = (channels: readonly Channel[]): readonly Field[] => [
  { name: 'name', label: 'Name', kind: 'text', isNeeded: true },
  { name: 'event', label: 'When a finding is', kind: 'choice', options: ['new', 'regressed', 'overdue'], isNeeded: true, initial: 'new' },
  {
    name: 'integration_id',
    label: 'Send to',
    kind: 'choice',
    options: channels.map(({ integration_id }) => integration_id),
    words: (id) => channels.find(({ integration_id }) => integration_id === id)?.name ?? id,
    hint: 'An integration, or nothing for mail to the addresses below.',
  },
  {
    name: 'recipients',
    label: 'Who gets mail',
    kind: 'lines',
    hint: 'One address a line.',
    isNeeded: true,
    when: ({ integration_id }) => integration_id === '',
  },
  { name: 'filter.severity', label: 'Severities', kind: 'many', options: SEVERITIES },
  { name: 'filter.provider', label: 'Clouds', kind: 'many', options: PROVIDERS },
  { name: 'filter.account_id', label: 'Accounts', kind: 'lines', hint: 'One a line; empty for all.' },
  { name: 'filter.engine', label: 'Engines', kind: 'lines', hint: 'One a line; empty for all.' },
  { name: 'filter.rule_id', label: 'Rules', kind: 'lines', hint: 'One a line; empty for all.' },
  { name: 'filter.resource_type', label: 'Types of resources', kind: 'lines', hint: 'One a line; empty for all.' },
  { name: 'throttle_minutes', label: 'Minutes between two messages, at least', kind: 'number', initial: '0' },
  {
    name: 'enabled',
    label: 'It is in force',
    kind: 'flag',
    initial: true,
    below: (values) => <DryRun channels={channels} values={values} />,
  },
];

/** What a rule would tell of now: asked of the server, which stores nothing for it. */
function DryRun({ channels, values }: { readonly channels: readonly Channel[]; readonly values: Values }) {
  const [told, setTold] = useState<{ readonly of: string; readonly matches: Rule['matches']; readonly error: Refusal | null } | null>(null);
  const text = JSON.stringify(values);
  const look = () =>
    send<Rule>('PUT', `${PATH}/dry-run`, { ...bodyOf(fieldsOf(channels), values), dry_run: true }).then(
      ({ matches }) => setTold({ of: text, matches, error: null }),
      (problem: unknown) => setTold({ of: text, matches: null, error: refusalFor(problem) }),
    );
  const { matches = null, error = null } = told?.of === text ? told : {};
  return (
    <div class="preview" aria-live="polite">
      <button type="button" onClick={() => void look()}>
        What matches now
      </button>
      {error && <Refused error={error} />}
      {matches && (
        <>
          <p>
            {matches.total_is_exact ? '' : 'At least '}
            {counted(matches.total, 'open finding')} match{matches.total === 1 ? 'es' : ''}.
          </p>
          <ul>
            {matches.items.slice(0, 5).map((one) => (
              <li key={one.finding_id}>
                <SeverityMark severity={one.severity} /> <a href={findingHref(one)}>{one.title}</a>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function rulesOf(channels: readonly Channel[]): Managed<Rule> {
  const fields = fieldsOf(channels);
  const channel = (id: string | null) => channels.find(({ integration_id }) => integration_id === id)?.name ?? id;
  return {
    one: 'rule',
    many: 'notification rules',
    path: PATH,
    writes: 'tenants:write',
    idOf: ({ id }) => id,
    titleOf: ({ name }) => name,
    columns: [
      { id: 'event', title: 'When', width: 110, cell: ({ event }) => wordOf(event) },
      {
        id: 'to',
        title: 'To',
        width: 240,
        when: 'wide',
        cell: ({ integration_id, recipients }) => channel(integration_id) ?? recipients.join(', '),
      },
      { id: 'force', title: 'In force', width: 80, cell: ({ enabled }) => (enabled ? 'yes' : 'no') },
      {
        id: 'last',
        title: 'Last message',
        width: 150,
        when: 'roomy',
        cell: ({ last_delivery }) => (last_delivery ? <StateMark state={last_delivery.state} /> : <span class="soft">none yet</span>),
      },
    ],
    add: { fields, put: ({ name }) => `${PATH}/${idFrom(String(name))}` },
    edit: { fields, method: 'PUT' },
    actions: [],
    removal: { verb: 'Remove', follows: 'What it has gathered is not sent.' },
    details: ({ event, filter, integration_id, recipients, throttle_minutes, enabled, last_delivery }) => (
      <Facts
        of={[
          ['When a finding is', event],
          ['To', channel(integration_id) ?? recipients.join(', ')],
          ['In force', enabled ? 'yes' : 'no'],
          ['Between messages', throttle_minutes > 0 && counted(throttle_minutes, 'minute')],
          ...Object.entries(filter).map(([name, values]) => [wordOf(name), values.join(', ')] as const),
          [
            'Last message',
            last_delivery && (
              <>
                <StateMark state={last_delivery.state} />, {counted(last_delivery.findings, 'finding')},{' '}
                <Moment time={last_delivery.created_at} /> {last_delivery.error && <span class="problem">{last_delivery.error}</span>}
              </>
            ),
          ],
        ]}
      />
    ),
    empty: 'Nobody is told of anything yet: a rule sends what is new, back or overdue to people, a chat, a webhook or a tracker.',
  };
}

export function NotificationRules() {
  const channels = useAsk<Page<Channel>>('/api/v1/integrations?page_size=200');
  return <ManagedList of={rulesOf(channels.body?.items ?? [])} />;
}
