import { useState } from 'preact/hooks';
import { hrefOf, valueOf } from '../address.js';
import { ListPage } from '../parts/list-page.js';
import { NotAllowed } from '../parts/states.js';
import { address } from '../place.js';
import { can } from '../session.js';
import { AccountsView } from './accounts-view.js';
import { ConnectView } from './connect-view.js';
import { ConnectionsView } from './connections-view.js';
import { ImportArea } from './import-area.js';
import { RunView } from './run-view.js';
import { RunsView } from './runs-view.js';
import { SchedulesView } from './schedules-view.js';

const TABS = [
  [null, 'Runs'],
  ['accounts', 'Accounts'],
  ['connections', 'Connections'],
  ['schedules', 'Schedules'],
] as const;

/** Runs as they go, one of them, and the accounts that they were about. */
export function ScansPage() {
  const [, id] = address.value.path;
  const [turn, setTurn] = useState(0);
  const view = valueOf(address.value.query, 'view');
  if (id !== undefined) return <RunView key={id} id={id} />;
  return (
    <ListPage
      title="Scans"
      tabs={TABS.map(([name, title]) => ({
        title,
        href: hrefOf(['scans'], { view: name }),
        isCurrent: view === name || (view === 'connect' && name === 'connections'),
      }))}
    >
      {view === 'accounts' && <AccountsView />}
      {view === 'connections' && <ConnectionsView />}
      {view === 'connect' && <ConnectView />}
      {view === 'schedules' && <SchedulesView />}
      {view === null && (
        <>
          {can('scans:create') ? (
            <ImportArea arrived={() => setTurn((count) => count + 1)} />
          ) : (
            <NotAllowed what="Importing reports" permission="scans:create" />
          )}
          <RunsView turn={turn} />
        </>
      )}
    </ListPage>
  );
}
