import { useGraphiQL, type GraphiQLPlugin } from '@graphiql/react';
import { useDeferredValue, useMemo, useSyncExternalStore } from 'react';
import { useExplored } from './explored.js';
import { describeOperation, type Need, type OperationFacts } from './operation-facts.js';
import { PlanView } from './plan-view.js';
import { lastRun, onRun } from './runs.js';

const number = new Intl.NumberFormat('en');
const HELD = { true: '✓ you hold it', false: '✕ you lack it', null: 'shown when it runs' } as const;

function Needs({ needs }: { readonly needs: readonly Need[] }) {
  if (needs.length === 0) return <p>Whoever is signed in may run it.</p>;
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Needs</th>
          <th scope="col">You</th>
        </tr>
      </thead>
      <tbody>
        {needs.map(({ words, isHeld, fields }) => (
          <tr key={words}>
            <td>
              <code>{words}</code>
              <small>{fields.join(', ')}</small>
            </td>
            <td className={isHeld === null ? '' : isHeld ? 'good' : 'bad'}>{HELD[`${isHeld}`]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Facts({ facts, allowance }: { readonly facts: OperationFacts; readonly allowance: number }) {
  return (
    <>
      <h3>Cost</h3>
      <p className={facts.cost > allowance ? 'bad' : ''}>
        Up to {number.format(facts.cost)} fields of {number.format(allowance)}
        {facts.cost > allowance && ': it will be refused; ask for fewer fields or smaller pages'}
      </p>
      <meter min={0} max={allowance} high={allowance} value={Math.min(facts.cost, allowance)} aria-label="Share of the allowance" />
      <h3>Permissions</h3>
      <Needs needs={facts.needs} />
      <h3>Over REST</h3>
      <dl>
        {facts.roots.map(({ field, route }) => (
          <div key={field}>
            <dt>{field}</dt>
            <dd>{route ? <code>{route}</code> : 'over the graph only'}</dd>
          </div>
        ))}
      </dl>
      <h3>Engines</h3>
      <p>{facts.engines.length > 0 ? facts.engines.join(', ') : 'The gateway alone.'}</p>
    </>
  );
}

/** What is known of the query in the open tab: before it runs from the graph, afterwards from its plan. */
function QueryPanel() {
  const { graph, schema, me } = useExplored();
  const query = useDeferredValue(useGraphiQL((state) => state.tabs[state.activeTabIndex]?.query ?? ''));
  const variables = useDeferredValue(useGraphiQL((state) => state.tabs[state.activeTabIndex]?.variables ?? ''));
  const operationName = useGraphiQL((state) => state.operationName ?? null);
  const run = useSyncExternalStore(onRun, lastRun);
  const described = useMemo(
    () => describeOperation({ schema, graph, me }, { query, variables, operationName }),
    [schema, graph, me, query, variables, operationName],
  );
  return (
    <section className="panel" aria-label="This query">
      <h2>This query</h2>
      {'facts' in described ? <Facts facts={described.facts} allowance={graph.allowance} /> : <p>{described.problem}</p>}
      <h3>Plan</h3>
      <PlanView run={run} query={query} />
    </section>
  );
}

const QueryIcon = () => (
  <svg viewBox="0 0 20 20" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
    <path d="M3 15.5a7.5 7.5 0 1 1 14 0M10 13l3-5" />
    <circle cx="10" cy="13.5" r="1.2" />
  </svg>
);

export const QUERY_PLUGIN: GraphiQLPlugin = { title: 'This query', icon: QueryIcon, content: QueryPanel };
