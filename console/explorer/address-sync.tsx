import { ToolbarButton, useGraphiQL } from '@graphiql/react';
import { useEffect, useState } from 'react';
import { writePlace } from './address.js';

/** Milliseconds after the last key until the address follows. */
const PAUSE = 300;

/** Keeps the address in step with the open tab and panel. One that is put in by hand, or gone back to, opens the page anew: tabs are kept. */
export function AddressSync() {
  const panel = useGraphiQL((state) => state.visiblePlugin?.title ?? '');
  const query = useGraphiQL((state) => state.tabs[state.activeTabIndex]?.query ?? '');
  const variables = useGraphiQL((state) => state.tabs[state.activeTabIndex]?.variables ?? '');
  useEffect(() => {
    const timer = setTimeout(() => history.replaceState(null, '', writePlace({ query, variables, panel }) || location.pathname), PAUSE);
    return () => clearTimeout(timer);
  }, [query, variables, panel]);
  useEffect(() => {
    const reload = () => location.reload();
    window.addEventListener('hashchange', reload);
    return () => window.removeEventListener('hashchange', reload);
  }, []);
  return null;
}

/** Gives the editors the size of our pages' texts; GraphiQL has none to set. */
export function EditorSize() {
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const variableEditor = useGraphiQL((state) => state.variableEditor);
  const responseEditor = useGraphiQL((state) => state.responseEditor);
  useEffect(() => {
    for (const editor of [queryEditor, variableEditor, responseEditor]) editor?.updateOptions({ fontSize: 13, lineHeight: 20 });
  }, [queryEditor, variableEditor, responseEditor]);
  return null;
}

/** Copies the address, which holds the query and its variables. */
export function CopyLink() {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(location.href);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <ToolbarButton label={isCopied ? 'The link is copied' : 'Copy a link to this query'} onClick={() => void copy()}>
      <svg className="graphiql-toolbar-icon" viewBox="0 0 20 20" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
        {isCopied ? (
          <path d="M4 10.5 8 14.5 16 6" />
        ) : (
          <path d="M8.5 11.5 11.5 8.5M9 6l2-2a3.5 3.5 0 0 1 5 5l-2 2M11 14l-2 2a3.5 3.5 0 0 1-5-5l2-2" />
        )}
      </svg>
    </ToolbarButton>
  );
}
