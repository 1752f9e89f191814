import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import 'graphiql/graphiql.css';
import './workbench.css';
import './editor-workers.js';
import { GraphiQL, HISTORY_PLUGIN } from 'graphiql';
import { useMemo, useState } from 'react';
import { createPortal } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { readPlace } from './address.js';
import { AddressSync, CopyLink } from './address-sync.js';
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

function Workbench({ bar, graph, me }: Props) {
  const explored = useMemo(() => ({ graph, me, schema: schemaOf(graph) }), [graph, me]);
  const storage = useMemo(() => ownStorage(`${me.tenant_id}:${me.user_id}`), [me]);
  const [opened] = useState(() => readPlace(location.hash));
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
        <AddressSync opened={opened} />
        {createPortal(<BarTools />, bar)}
      </GraphiQL>
    </ExploredContext.Provider>
  );
}

/** Puts the editor and its panels into `place`, and its tools into the page's bar. */
export function mount(place: HTMLElement, bar: HTMLElement, graph: ExplorerGraph, me: Me): void {
  createRoot(place).render(<Workbench bar={bar} graph={graph} me={me} />);
}
