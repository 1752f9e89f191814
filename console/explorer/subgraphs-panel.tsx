import type { GraphiQLPlugin } from '@graphiql/react';
import { createContext, useContext, useDeferredValue, useMemo, useState } from 'react';
import type { Entity, FieldUsageReport } from '../../schema/explorer.js';
import { useExplored } from './explored.js';
import { FederationMap } from './federation-map.js';
import { listSubgraphs, narrow, type ListedField, type Subgraph } from './subgraphs.js';
import { useUsage } from './use-usage.js';

/** How often a field was asked for, in words; nothing where that is not known. */
const askedWords = (calls: number | undefined, isKnown: boolean): string | false =>
  isKnown && (calls === undefined ? 'not asked for' : `asked for ${calls === 1 ? 'once' : `${calls} times`}`);

const UsageContext = createContext<FieldUsageReport | null>(null);

function Fields({ fields }: { readonly fields: readonly ListedField[] }) {
  const usage = useContext(UsageContext);
  return (
    <ul className="fields">
      {fields.map(({ coordinate, name, type, route, needs }) => (
        <li key={coordinate}>
          <code>{name}</code> <span className="type">{type}</span>
          <small>{[needs, route, askedWords(usage?.calls[coordinate], usage !== null)].filter(Boolean).join(' · ')}</small>
        </li>
      ))}
    </ul>
  );
}

function EntityRow({ entity, subgraphs }: { readonly entity: Entity; readonly subgraphs: readonly Subgraph[] }) {
  const extending = subgraphs.flatMap(({ engine, additions }) =>
    additions.filter((addition) => addition.entity === entity.type).map(({ fields }) => ({ engine, fields })),
  );
  return (
    <details>
      <summary>
        <b>{entity.type}</b> by <code>{entity.keys.join(', ')}</code>
        <small>
          {extending.length} {extending.length === 1 ? 'engine adds' : 'engines add'} fields
          {entity.namedBy.length > 0 && `, ${entity.namedBy.length} only name it`}
        </small>
      </summary>
      <dl>
        {extending.map(({ engine, fields }) => (
          <div key={engine}>
            <dt>{engine}</dt>
            <dd>{fields.map(({ name }) => name).join(', ')}</dd>
          </div>
        ))}
        {entity.namedBy.length > 0 && (
          <div>
            <dt>named by</dt>
            <dd>{entity.namedBy.join(', ')}</dd>
          </div>
        )}
      </dl>
    </details>
  );
}

function SubgraphRow({ subgraph, isOpen }: { readonly subgraph: Subgraph; readonly isOpen: boolean }) {
  const [isShown, setShown] = useState(false);
  const { engine, roots, additions, ownTypes } = subgraph;
  const added = additions.reduce((sum, { fields }) => sum + fields.length, 0);
  const counts = [
    `${roots.length} at the root`,
    added > 0 && `${added} on ${additions.map(({ entity }) => entity).join(', ')}`,
    ownTypes.length > 0 && `${ownTypes.length} ${ownTypes.length === 1 ? 'type' : 'types'}`,
  ];
  return (
    <details open={isOpen || undefined} onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary>
        <b>{engine}</b>
        <small>{counts.filter(Boolean).join(', ')}</small>
      </summary>
      {(isShown || isOpen) && (
        <>
          <Fields fields={roots} />
          {additions.map(({ entity, fields }) => (
            <div key={entity}>
              <h4>Adds to {entity}</h4>
              <Fields fields={fields} />
            </div>
          ))}
          {ownTypes.length > 0 && (
            <>
              <h4>Types of its own</h4>
              <p className="names">{ownTypes.join(', ')}</p>
            </>
          )}
        </>
      )}
    </details>
  );
}

/** At most this many engines are laid open by a search. */
const OPENED = 5;

/** The engines behind the graph: what each answers, and how they meet in entities. */
function SubgraphsPanel() {
  const { graph, schema } = useExplored();
  const usage = useUsage();
  const [text, setText] = useState('');
  const wanted = useDeferredValue(text);
  const isSearch = wanted.trim() !== '';
  const subgraphs = useMemo(() => listSubgraphs(graph, schema), [graph, schema]);
  const shown = useMemo(() => (isSearch ? narrow(subgraphs, wanted) : subgraphs), [subgraphs, wanted, isSearch]);
  return (
    <section className="panel" aria-label="Subgraphs">
      <h2>Subgraphs</h2>
      <input
        type="search"
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        placeholder="Field, type, engine or REST path"
        aria-label="Search engines, fields and REST paths"
      />
      <p role="status" className="status">
        {isSearch && (shown.length === 0 ? `Nothing is called “${wanted}”.` : `In ${shown.length} of ${subgraphs.length} engines.`)}
      </p>
      {!isSearch && (
        <>
          <h3>Entities</h3>
          <p>Types that several engines know by a key; each adds fields of its own.</p>
          <FederationMap entities={graph.entities} subgraphs={subgraphs} />
          {graph.entities.map((entity) => (
            <EntityRow key={entity.type} entity={entity} subgraphs={subgraphs} />
          ))}
        </>
      )}
      <h3>Engines</h3>
      {usage && <p>How often your tenant has asked this gateway for a field is counted since {new Date(usage.since).toLocaleString()}.</p>}
      <UsageContext.Provider value={usage}>
        {shown.map((subgraph) => (
          <SubgraphRow key={subgraph.engine} subgraph={subgraph} isOpen={isSearch && shown.length <= OPENED} />
        ))}
      </UsageContext.Provider>
    </section>
  );
}

const SubgraphsIcon = () => (
  <svg viewBox="0 0 20 20" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
    <circle cx="4.5" cy="10" r="2" />
    <circle cx="15" cy="4.5" r="2" />
    <circle cx="15" cy="15.5" r="2" />
    <path d="m6.3 9 7-3.7m-7 5.7 7 3.7" />
  </svg>
);

export const SUBGRAPHS_PLUGIN: GraphiQLPlugin = { title: 'Subgraphs', icon: SubgraphsIcon, content: SubgraphsPanel };
