import { useEffect, useRef, useState } from 'preact/hooks';
import { refusalFor, type Refusal } from './api.js';
import { hrefOf } from './address.js';
import { KeysDialog } from './keys-dialog.js';
import { useKeys } from './keys.js';
import { Notices } from './notices-view.js';
import { CurrentPage, PAGES, pageNow } from './pages.js';
import { address, go } from './place.js';
import { useCurrentInSight } from './parts/current-in-sight.js';
import { Failed, Waiting } from './parts/states.js';
import { ProofDialog } from './proof-dialog.js';
import { keepUp, loadMe, me, signOut, switchTenant, tenantName } from './session.js';
import { tellProblem } from './notices.js';

const refused = (error: unknown): void => tellProblem(`${refusalFor(error).message}.`);

/** The tenant that one acts in, and the way to the others. */
function TenantChoice() {
  const tenants = me.value?.tenants ?? [];
  if (tenants.length < 2) return <span class="tenant">{tenantName()}</span>;
  return (
    <select
      aria-label="Tenant"
      value={me.value?.tenant_id}
      onChange={(event) => void switchTenant(event.currentTarget.value).catch(refused)}
    >
      {tenants.map(({ tenant_id, name }) => (
        <option key={tenant_id} value={tenant_id}>
          {name}
        </option>
      ))}
    </select>
  );
}

function Navigation() {
  const now = pageNow()?.name;
  const place = useCurrentInSight(now);
  return (
    <nav ref={place} class="pages" aria-label="Pages">
      {PAGES.map(({ name, title, href }) => (
        <a key={name} href={href} aria-current={name === now ? 'page' : undefined}>
          {title}
        </a>
      ))}
      <span class="filler" />
      <a href="/gateway/docs">REST reference</a>
      <a href="/gateway/explorer">Graph explorer</a>
    </nav>
  );
}

/** What stands around every page. */
export function Frame() {
  const [error, setError] = useState<Refusal | null>(null);
  const [hasKeys, setKeys] = useState(false);
  const place = useRef<HTMLElement>(null);
  const load = () => {
    setError(null);
    loadMe().catch((problem: unknown) => setError(refusalFor(problem)));
  };
  useEffect(load, []);
  useEffect(() => {
    const look = () => void keepUp();
    addEventListener('focus', look);
    // a page that comes back out of the browser's memory may be of before
    addEventListener('pageshow', look);
    return () => {
      removeEventListener('focus', look);
      removeEventListener('pageshow', look);
    };
  }, []);
  const shortcut = (key: string, index: number) => ({ key, words: PAGES[index]!.title, run: () => (location.hash = PAGES[index]!.href) });
  useKeys(0, [
    { key: '?', words: 'This list', run: () => setKeys(true) },
    shortcut('1', 0),
    shortcut('2', 1),
    shortcut('3', 2),
    shortcut('4', 3),
  ]);
  const page = pageNow();
  return (
    <>
      <a class="skip" href="#page" onClick={(event) => (event.preventDefault(), place.current?.focus())}>
        To the page
      </a>
      <header class="bar">
        <a class="brand" href={hrefOf([])}>
          Palisade
        </a>
        {me.value && <TenantChoice />}
        <span class="filler" />
        <button type="button" class="quiet keys" aria-label="Keys" title="Keys (?)" onClick={() => setKeys(true)}>
          ?
        </button>
        {me.value && (
          <>
            <span class="who" title={me.value.email}>
              {me.value.name} <small>{me.value.role.replaceAll('_', ' ')}</small>
            </span>
            <button type="button" class="quiet" onClick={() => void signOut().catch(refused)}>
              Sign out
            </button>
          </>
        )}
      </header>
      <Navigation />
      <main id="page" ref={place} tabIndex={-1}>
        {error && error.status !== 401 && <Failed error={error} what="your account" retry={load} />}
        {!me.value && !error && <Waiting what="your account" rows={6} />}
        {me.value && page && <CurrentPage key={page.name} entry={page} />}
        {me.value && !page && (
          <div class="message">
            <h1>There is no such page</h1>
            <p>
              <code>{address.value.path.join('/')}</code> leads nowhere.{' '}
              <button type="button" onClick={() => go({ path: [], query: new Map() })}>
                To the overview
              </button>
            </p>
          </div>
        )}
      </main>
      <Notices />
      <ProofDialog />
      {hasKeys && <KeysDialog close={() => setKeys(false)} />}
    </>
  );
}
