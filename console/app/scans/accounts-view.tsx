import type { Provider } from '../../../schema/model.js';
import { hrefOf } from '../address.js';
import { countText } from '../format.js';
import { OPEN_STATUSES } from '../findings/filters.js';
import { LongTable } from '../parts/long-table.js';
import { Empty, NotAllowed } from '../parts/states.js';
import { Middle } from '../parts/text.js';
import { can } from '../session.js';
import { usePages } from '../use-pages.js';

/** A row of the account directory (`GET /accounts`). */
interface Account {
  readonly account_id: string;
  readonly name: string | null;
  readonly provider: Provider | null;
  readonly connected: boolean;
  readonly resources: number | null;
  readonly open_findings: Readonly<Record<'total' | 'critical' | 'high', number>>;
}

function Accounts() {
  const { list } = usePages<Account>('/api/v1/accounts');
  const findings = (account: Account, count: number, severity?: string) => (
    <a href={hrefOf(['findings'], { account_id: account.account_id, severity, status: OPEN_STATUSES })}>{countText(count)}</a>
  );
  return (
    <LongTable
      label="accounts"
      list={list}
      keyOf={({ account_id }) => account_id}
      columns={[
        {
          id: 'name',
          title: 'Account',
          cell: ({ account_id, name }) => (name ? `${name} · ${account_id}` : <Middle text={account_id} most={40} />),
        },
        { id: 'provider', title: 'Provider', width: 90, cell: ({ provider }) => provider ?? '–' },
        { id: 'connected', title: 'Known by', width: 120, when: 'wide', cell: ({ connected }) => (connected ? 'Connection' : 'Reports') },
        {
          id: 'resources',
          title: 'Resources',
          width: 90,
          align: 'end',
          when: 'wide',
          cell: ({ account_id, resources }) => <a href={hrefOf(['assets'], { account_id, sort: '-risk' })}>{countText(resources)}</a>,
        },
        {
          id: 'critical',
          title: 'Critical',
          width: 80,
          align: 'end',
          cell: (one) => findings(one, one.open_findings.critical, 'critical'),
        },
        {
          id: 'high',
          title: 'High',
          width: 80,
          align: 'end',
          when: 'wide',
          cell: (one) => findings(one, one.open_findings.high, 'high'),
        },
        { id: 'total', title: 'Open', width: 80, align: 'end', cell: (one) => findings(one, one.open_findings.total) },
      ]}
      empty={
        <Empty>
          <p>No account is known yet: reports and connections bring them.</p>
        </Empty>
      }
    />
  );
}

/** The accounts that are known, whether by a connection or by reports. */
export const AccountsView = () =>
  can('accounts:read') ? <Accounts /> : <NotAllowed what="The list of accounts" permission="accounts:read" />;
