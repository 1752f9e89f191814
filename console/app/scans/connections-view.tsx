import type { Provider } from '../../../schema/model.js';
import { hrefOf } from '../address.js';
import { counted } from '../format.js';
import type { Managed } from '../parts/managed.js';
import { ManagedList } from '../parts/managed-list.js';
import { NotAllowed } from '../parts/states.js';
import { Facts, Moment, StateMark } from '../parts/text.js';
import { can } from '../session.js';

/** A row of `GET /cloud-accounts`. */
export interface CloudAccount {
  readonly account_id: string;
  readonly provider: Provider;
  readonly name: string;
  readonly state: 'connected' | 'degraded' | 'disconnected' | 'paused';
  readonly scope: { readonly regions: readonly string[]; readonly services: readonly string[] };
  readonly external_id: string | null;
  readonly permissions_granted: readonly string[];
  readonly permissions_missing: readonly string[];
  readonly validated_at: string | null;
  readonly problem: string | null;
  readonly last_scan_at: string | null;
  readonly created_by: string;
}

const Permissions = ({ account }: { readonly account: CloudAccount }) => {
  const { permissions_missing: missing, permissions_granted: granted } = account;
  return (
    <>
      {missing.length > 0 && (
        <section>
          <h3>{counted(missing.length, 'permission')} missing</h3>
          <ul class="plain">
            {missing.map((permission) => (
              <li key={permission}>
                <StateMark state="FAIL" /> <code>{permission}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
      {granted.length > 0 && (
        <section>
          <details>
            <summary>{counted(granted.length, 'permission')} granted</summary>
            <ul class="plain">
              {granted.map((permission) => (
                <li key={permission}>
                  <code>{permission}</code>
                </li>
              ))}
            </ul>
          </details>
        </section>
      )}
    </>
  );
};

const CONNECTIONS: Managed<CloudAccount> = {
  one: 'connection',
  many: 'connections',
  path: '/api/v1/cloud-accounts',
  writes: 'accounts:write',
  idOf: ({ account_id }) => account_id,
  titleOf: ({ name, account_id }) => (name === account_id ? name : `${name} · ${account_id}`),
  columns: [
    { id: 'provider', title: 'Cloud', width: 90, cell: ({ provider }) => provider },
    { id: 'state', title: 'State', width: 130, cell: ({ state }) => <StateMark state={state} /> },
    {
      id: 'missing',
      title: 'Missing permissions',
      width: 150,
      align: 'end',
      when: 'wide',
      cell: ({ permissions_missing }) => permissions_missing.length,
    },
    { id: 'scan', title: 'Last scan', width: 120, when: 'roomy', cell: ({ last_scan_at }) => <Moment time={last_scan_at} empty="never" /> },
  ],
  add: null,
  edit: {
    method: 'PATCH',
    fields: [
      { name: 'name', label: 'Name', kind: 'text', isNeeded: true },
      { name: 'scope.regions', label: 'Only these regions', kind: 'lines', hint: 'One a line; empty for all.' },
      { name: 'scope.services', label: 'Only these services', kind: 'lines', hint: 'One a line; empty for all.' },
    ],
  },
  actions: [
    { label: 'Validate', method: 'POST', under: '/validate', when: ({ state }) => state !== 'disconnected' },
    {
      label: 'Pause',
      method: 'PATCH',
      when: ({ state }) => state === 'connected' || state === 'degraded',
      body: () => ({ state: 'paused' }),
    },
    { label: 'Resume', method: 'PATCH', when: ({ state }) => state === 'paused', body: () => ({ state: 'connected' }) },
  ],
  removal: {
    verb: 'Disconnect',
    follows: 'Its credential is gone at once. A job resolves its open findings, and the rest goes by the retention of the tenant.',
  },
  details: (account) => (
    <>
      {account.problem && <p class="problem">{account.problem}</p>}
      <Facts
        of={[
          ['Account', <code>{account.account_id}</code>],
          ['State', <StateMark state={account.state} />],
          ['Tried', <Moment time={account.validated_at} empty="not yet" />],
          ['Last scan', <Moment time={account.last_scan_at} empty="never" />],
          ['Regions', account.scope.regions.join(', ') || 'all'],
          ['Services', account.scope.services.join(', ') || 'all'],
          ['External id', account.external_id && <code>{account.external_id}</code>],
          ['Connected by', account.created_by],
        ]}
      />
      <Permissions account={account} />
    </>
  ),
  empty: 'No account is connected yet.',
};

/** The accounts that are connected, with what each connection lacks. */
export function ConnectionsView() {
  if (!can('accounts:read')) return <NotAllowed what="The list of connections" permission="accounts:read" />;
  return (
    <>
      {can('accounts:write') && (
        <div class="filter-bar menus">
          <a class="button" href={hrefOf(['scans'], { view: 'connect' })}>
            Connect an account
          </a>
        </div>
      )}
      <ManagedList of={CONNECTIONS} />
    </>
  );
}
