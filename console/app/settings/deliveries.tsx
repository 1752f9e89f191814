import { refusalFor, send } from '../api.js';
import { wordOf } from '../format.js';
import { tell, tellProblem } from '../notices.js';
import type { Page } from '../paged-list.js';
import { DataTree } from '../parts/data-tree.js';
import { Answer } from '../parts/states.js';
import { Moment, StateMark } from '../parts/text.js';
import { can } from '../session.js';
import { useAsk } from '../use-ask.js';
import { useState } from 'preact/hooks';

interface Delivery {
  readonly delivery_id: string;
  readonly seq: number;
  readonly event: string;
  readonly state: 'pending' | 'sent' | 'failed' | 'dead';
  readonly payload: unknown;
  readonly attempts: readonly {
    readonly at: string;
    readonly status: number | null;
    readonly latency_ms: number;
    readonly error: string | null;
    readonly response: string | null;
  }[];
  readonly next_attempt_at: string | null;
  readonly created_at: string;
}

const STATES: readonly Delivery['state'][] = ['pending', 'sent', 'failed', 'dead'];

function One({ delivery, again }: { readonly delivery: Delivery; readonly again: () => void }) {
  const { event, state, payload, attempts, next_attempt_at, created_at } = delivery;
  return (
    <li>
      <details>
        <summary>
          <StateMark state={state} /> <b>{event}</b> <Moment time={created_at} />
          {next_attempt_at && state === 'failed' && (
            <>
              , again <Moment time={next_attempt_at} />
            </>
          )}
        </summary>
        {can('tenants:write') && state !== 'pending' && (
          <p>
            <button type="button" onClick={again}>
              Send it again
            </button>
          </p>
        )}
        <ol class="plain">
          {attempts.map(({ at, status, latency_ms, error, response }) => (
            <li key={at}>
              <Moment time={at} />: {status ?? 'no answer'} after {latency_ms} ms {error && <span class="problem">{error}</span>}
              {response && <pre tabIndex={0}>{response}</pre>}
            </li>
          ))}
          {attempts.length === 0 && <li class="soft">Not tried yet.</li>}
        </ol>
        <DataTree value={payload} />
      </details>
    </li>
  );
}

/** The ledger of a webhook, newest first. */
export function Deliveries({ webhook }: { readonly webhook: string }) {
  const [state, setState] = useState<Delivery['state'] | ''>('');
  const [size, setSize] = useState(20);
  const path = `/api/v1/webhooks/${encodeURIComponent(webhook)}/deliveries`;
  const asked = useAsk<Page<Delivery>>(`${path}?page_size=${size}${state && `&state=${state}`}`);
  const again = ({ delivery_id, event }: Delivery) =>
    send('POST', `${path}/${encodeURIComponent(delivery_id)}/redeliver`).then(
      () => {
        tell(`On its way again: ${event}.`);
        asked.reload();
      },
      (problem: unknown) => tellProblem(`Not sent: ${refusalFor(problem).message}.`),
    );
  return (
    <section>
      <header>
        <h3>Deliveries</h3>
        <span>
          <select aria-label="State of deliveries" value={state} onChange={(event) => setState(event.currentTarget.value as typeof state)}>
            <option value="">All</option>
            {STATES.map((one) => (
              <option key={one} value={one}>
                {wordOf(one)}
              </option>
            ))}
          </select>{' '}
          <button type="button" class="quiet" onClick={asked.reload}>
            Look again
          </button>
        </span>
      </header>
      <Answer asked={asked} what="the deliveries">
        {({ items, total }) => (
          <>
            {items.length === 0 && <p class="soft">Nothing of the kind was sent yet.</p>}
            <ol class="timeline">
              {items.map((delivery) => (
                <One key={delivery.delivery_id} delivery={delivery} again={() => void again(delivery)} />
              ))}
            </ol>
            {total > items.length && size < 200 && (
              <button type="button" class="quiet" onClick={() => setSize(200)}>
                Older ones
              </button>
            )}
          </>
        )}
      </Answer>
    </section>
  );
}
