import { hrefOf } from '../address.js';
import type { Page } from '../paged-list.js';
import type { Field } from '../parts/fields.js';
import type { Managed } from '../parts/managed.js';
import { ManagedList } from '../parts/managed-list.js';
import { Facts, Moment, StateMark } from '../parts/text.js';
import { can } from '../session.js';
import { useAsk } from '../use-ask.js';
import type { CloudAccount } from './connections-view.js';
import { Firings } from './firings.js';

interface Schedule {
  readonly schedule_id: string;
  readonly name: string;
  readonly cron: string;
  readonly time_zone: string;
  readonly scope: Readonly<Record<'regions' | 'services' | 'engines', readonly string[]>> & { readonly account_id: string };
  readonly enabled: boolean;
  readonly next_run_at: string | null;
  readonly last_run: { readonly scan_run_id: string; readonly completed_at: string | null } | null;
  readonly paused_reason: string | null;
  readonly owner: string;
}

const stateOf = ({ enabled, paused_reason }: Schedule): string => (enabled && paused_reason === null ? 'active' : 'paused');

const fieldsOf = (accounts: readonly CloudAccount[]): readonly Field[] => [
  { name: 'name', label: 'Name', kind: 'text', isNeeded: true },
  {
    name: 'cron',
    label: 'When',
    kind: 'text',
    options: ['@daily', '@hourly', '@weekly', '30 4 * * *', '0 6 * * 1-5'],
    initial: '30 4 * * *',
    isNeeded: true,
    hint: 'Minute, hour, day of month, month, day of week; or a name such as @daily. At least 15 minutes lie between two.',
  },
  {
    name: 'time_zone',
    label: 'By the clock of',
    kind: 'text',
    options: Intl.supportedValuesOf('timeZone'),
    initial: Intl.DateTimeFormat().resolvedOptions().timeZone,
    isNeeded: true,
    below: ({ cron, time_zone }) => <Firings cron={String(cron)} zone={String(time_zone)} />,
  },
  {
    name: 'scope.account_id',
    label: 'Account',
    kind: 'text',
    options: accounts.map(({ account_id }) => account_id),
    isNeeded: true,
    hint: 'One that is connected.',
  },
  { name: 'scope.regions', label: 'Only these regions', kind: 'lines', hint: 'One a line; empty for all.' },
  { name: 'scope.services', label: 'Only these services', kind: 'lines', hint: 'One a line; empty for all.' },
  { name: 'scope.engines', label: 'Only these engines', kind: 'lines', hint: 'One a line; empty for all.' },
  { name: 'enabled', label: 'It starts scans', kind: 'flag', initial: true },
];

function schedulesOf(accounts: readonly CloudAccount[]): Managed<Schedule> {
  const form = { fields: fieldsOf(accounts) };
  return {
    one: 'schedule',
    many: 'schedules',
    path: '/api/v1/schedules',
    writes: 'scans:create',
    idOf: ({ schedule_id }) => schedule_id,
    titleOf: ({ name }) => name,
    columns: [
      { id: 'account', title: 'Account', width: 170, when: 'wide', cell: ({ scope }) => scope.account_id },
      { id: 'cron', title: 'When', width: 130, when: 'wide', cell: ({ cron }) => <code>{cron}</code> },
      { id: 'zone', title: 'By the clock of', width: 150, when: 'roomy', cell: ({ time_zone }) => time_zone },
      { id: 'state', title: 'State', width: 100, cell: (schedule) => <StateMark state={stateOf(schedule)} /> },
      { id: 'next', title: 'Next', width: 120, cell: ({ next_run_at }) => <Moment time={next_run_at} empty="none" /> },
    ],
    add: form,
    edit: { ...form, method: 'PATCH' },
    actions: [
      { label: 'Pause', method: 'PATCH', when: ({ enabled }) => enabled, body: () => ({ enabled: false }) },
      { label: 'Go on', method: 'PATCH', when: (schedule) => stateOf(schedule) === 'paused', body: () => ({ enabled: true }) },
    ],
    removal: { verb: 'Remove', follows: 'It starts no scan any more; the runs that it started stay.' },
    details: (schedule) => (
      <>
        {schedule.paused_reason && <p class="problem">{schedule.paused_reason}</p>}
        <Facts
          of={[
            ['Account', schedule.scope.account_id],
            ['When', <code>{schedule.cron}</code>],
            ['By the clock of', schedule.time_zone],
            ['Regions', schedule.scope.regions.join(', ') || 'all'],
            ['Services', schedule.scope.services.join(', ') || 'all'],
            ['Engines', schedule.scope.engines.join(', ') || 'all'],
            ['State', <StateMark state={stateOf(schedule)} />],
            ['Runs with the rights of', schedule.owner],
            [
              'Last run',
              schedule.last_run && (
                <a href={hrefOf(['scans', schedule.last_run.scan_run_id])}>
                  <Moment time={schedule.last_run.completed_at} empty="still going" />
                </a>
              ),
            ],
          ]}
        />
        {stateOf(schedule) === 'active' && <Firings cron={schedule.cron} zone={schedule.time_zone} />}
      </>
    ),
    empty: 'No scan begins by itself yet: a schedule scans a connected account again and again.',
  };
}

/** The schedules of scans. */
export function SchedulesView() {
  const accounts = useAsk<Page<CloudAccount>>(can('accounts:read') ? '/api/v1/cloud-accounts?page_size=200' : null);
  return <ManagedList of={schedulesOf(accounts.body?.items ?? [])} />;
}
