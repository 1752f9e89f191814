import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import 'graphiql/graphiql.css';
import './workbench.css';
import './editor-workers.js';
import type { Storage } from '@graphiql/toolkit';
import { GraphiQL, HISTORY_PLUGIN } from 'graphiql';
import { useMemo, useState } from 'react';
import { createPortal } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { readPlace, type Place } from './address.js';
import { AddressSync, CopyLink, EditorSize } from './address-sync.js';
import { BarTools } from './bar-tools.js';
import { EXAMPLES } from './examples.js';
import { ExploredContext } from './explored.js';
import { schemaOf, type Me } from './graph.js';
import { ownStorage } from './own-storage.js';
import { QUERY_PLUGIN } from './query-panel.js';
import { fetcher } from './runs.js';
import { SUBGRAPHS_PLUGIN } from './subgraphs-panel.js';
import type { ExplorerGraph } from '../../schema/explorer.js';

const PLUGINS = [HISTORY_PLUGIN, QUERY_PLUGIN, SUBGRAPHS_PLUGIN];

interface Props {
  readonly bar: HTMLElement;
  readonly graph: ExplorerGraph;
  readonly me: Me;
}

/** The panel that GraphiQL shows first is the one that it finds in its storage. */
const PANEL_KEY = 'graphiql:visiblePlugin';
/** Pixels from which on a panel leaves the editor enough room. */
const ROOMY = 1_100;

/** What the address says, and the storage with the panel that it names: it wins over the one that was open last time. */
function open(me: Me): { opened: Place; storage: Storage } {
  const opened = readPlace(location.hash);
  const storage = ownStorage(`${me.tenant_id}:${me.user_id}`);
  // whoever comes for the first time sees what this explorer tells of a query, where there is room beside the editor
  const first = storage.getItem(PANEL_KEY) === null && innerWidth >= ROOMY ? QUERY_PLUGIN.title : '';
  const panel = opened.panel || first;
  if (panel !== '') storage.setItem(PANEL_KEY, panel);
  return { opened, storage };
}

function Workbench({ bar, graph, me }: Props) {
  const explored = useMemo(() => ({ graph, me, schema: schemaOf(graph) }), [graph, me]);
  const [{ opened, storage }] = useState(() => open(me));
  return (
    <ExploredContext.Provider value={explored}>
      <GraphiQL
        fetcher={fetcher}
        schema={explored.schema}
        dangerouslyAssumeSchemaIsValid
        storage={storage}
        plugins={PLUGINS}
        {...(opened.query !== '' && { initialQuery: opened.query, initialVariables: opened.variables })}
        defaultQuery={EXAMPLES[0].query}
        isHeadersEditorEnabled={false}
        showPersistHeadersSettings={false}
        shouldPersistHeaders={false}
      >
        <GraphiQL.Logo>{null}</GraphiQL.Logo>
        <GraphiQL.Toolbar>
          {({ prettify, merge, copy }) => (
            <>
              {prettify}
              {merge}
              {copy}
              <CopyLink />
            </>
          )}
        </GraphiQL.Toolbar>
        <AddressSync />
        <EditorSize />
        {createPortal(<BarTools />, bar)}
      </GraphiQL>
    </ExploredContext.Provider>
  );
}

/** Puts the editor and its panels into `place`, and its tools into the page's bar. */
export function mount(place: HTMLElement, bar: HTMLElement, graph: ExplorerGraph, me: Me): void {
  createRoot(place).render(<Workbench bar={bar} graph={graph} me={me} />);
}
