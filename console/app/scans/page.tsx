import { useState } from 'preact/hooks';
import { hrefOf, valueOf } from '../address.js';
import { PageHead } from '../parts/page-head.js';
import { NotAllowed } from '../parts/states.js';
import { address } from '../place.js';
import { can } from '../session.js';
import { AccountsView } from './accounts-view.js';
import { ImportArea } from './import-area.js';
import { RunView } from './run-view.js';
import { RunsView } from './runs-view.js';

const TABS = [
  [null, 'Runs'],
  ['accounts', 'Accounts'],
] as const;

/** Runs as they go, one of them, and the accounts that they were about. */
export function ScansPage() {
  const [, id] = address.value.path;
  const [turn, setTurn] = useState(0);
  const view = valueOf(address.value.query, 'view');
  if (id !== undefined) return <RunView key={id} id={id} />;
  return (
    <div class="list-page">
      <div class="list">
        <PageHead title={view === 'accounts' ? 'Accounts' : 'Scans'} />
        <nav class="tabs" aria-label="Scans">
          {TABS.map(([name, title]) => (
            <a key={title} href={hrefOf(['scans'], { view: name })} aria-current={view === name ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        {view === 'accounts' && <AccountsView />}
        {view === null && (
          <>
            {can('scans:create') ? (
              <ImportArea arrived={() => setTurn(turn + 1)} />
            ) : (
              <NotAllowed what="Importing reports" permission="scans:create" />
            )}
            <RunsView turn={turn} />
          </>
        )}
      </div>
    </div>
  );
}
