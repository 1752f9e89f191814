import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useRef, useSyncExternalStore } from 'react';
import { EXAMPLES } from './examples.js';
import { useExplored } from './explored.js';
import { keepPlace } from './kept-place.js';
import { lastRun, onRun } from './runs.js';

/** What stands in the page's bar beside its title: examples, the other references, and who is signed in. */
export function BarTools() {
  const { me } = useExplored();
  const run = useSyncExternalStore(onRun, lastRun);
  const { addTab } = useGraphiQLActions();
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const list = useRef<HTMLDivElement>(null);
  const show = (query: string) => {
    if (!queryEditor) return;
    // what somebody has written stays in its tab
    if (queryEditor.getValue().trim() !== '') addTab();
    queryEditor.setValue(query);
    list.current?.hidePopover();
    queryEditor.focus();
  };
  return (
    <>
      <button type="button" className="plain" popoverTarget="examples">
        Examples
      </button>
      <div id="examples" popover="auto" ref={list}>
        {EXAMPLES.map(({ title, query }) => (
          <button key={title} type="button" className="plain" onClick={() => show(query)}>
            {title}
          </button>
        ))}
      </div>
      <a href="/gateway/docs">REST reference</a>
      {run?.status === 401 && (
        <span role="alert">
          The session has ended.{' '}
          <a href={`/auth/login?return_to=${encodeURIComponent(location.pathname)}`} onClick={keepPlace}>
            Sign in again
          </a>
        </span>
      )}
      <span className="who" title={`tenant ${me.tenant_id}`}>
        {me.email} · {me.role}
      </span>
    </>
  );
}
