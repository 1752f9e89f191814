import { parse, print } from 'graphql';
import type { FetchCall, PlanStep } from '../../schema/explorer.js';
import type { Run } from './runs.js';

const WORDS = { sequence: 'One after the other', parallel: 'At the same time', either: 'One of these' } as const;

function pretty(operation: string): string {
  try {
    return print(parse(operation));
  } catch {
    return operation;
  }
}

/** When a call was under way: in figures, and as a bar within the time of the whole operation. */
function CallBar({ call, total }: { readonly call: FetchCall; readonly total: number }) {
  const share = (ms: number) => `${Math.min(100, (ms / Math.max(total, 0.1)) * 100)}%`;
  return (
    <div className="call">
      <span>
        {call.ms} ms, from {call.at} ms
        {call.entities !== null && `, ${call.entities} ${call.entities === 1 ? 'entity' : 'entities'}`}
        {call.errors > 0 && <b className="bad">, {call.errors === 1 ? '1 error' : `${call.errors} errors`}</b>}
      </span>
      <svg aria-hidden="true">
        <rect x={share(call.at)} width={share(Math.max(call.ms, total / 100))} height="6" />
      </svg>
    </div>
  );
}

function Step({ step, total }: { readonly step: PlanStep; readonly total: number }) {
  if (step.kind !== 'fetch')
    return (
      <li>
        {WORDS[step.kind]}
        <ol>
          {step.steps.map((inner, index) => (
            <Step key={index} step={inner} total={total} />
          ))}
        </ol>
      </li>
    );
  return (
    <li className="fetch">
      <b>{step.engine}</b> {step.path.length > 0 && <code>{step.path.join('.')}</code>}
      {step.calls.length === 0 && <small>not asked this time, or without a time of its own</small>}
      {step.calls.map((call, index) => (
        <CallBar key={index} call={call} total={total} />
      ))}
      <details>
        <summary>What it is asked</summary>
        <pre tabIndex={0}>{pretty(step.operation)}</pre>
      </details>
    </li>
  );
}

/** The plan of the last run, with the time of each call. */
export function PlanView({ run, query }: { readonly run: Run | null; readonly query: string }) {
  if (run === null) return <p>Run the query to see which engines are asked what, in which order, and for how long.</p>;
  const when = (
    <>
      {run.query === query ? 'Run' : 'Of another query, run'} at{' '}
      <time dateTime={run.at.toISOString()} title={run.at.toISOString()}>
        {run.at.toLocaleTimeString(undefined, { hour12: false })}
      </time>
    </>
  );
  if (run.plan === null) return <p>{when}: refused before it ran, as the answer says.</p>;
  const { ms, root } = run.plan;
  return (
    <>
      <p>
        {when}, {ms} ms in all.
      </p>
      {root ? (
        <ol className="plan">
          <Step step={root} total={ms} />
        </ol>
      ) : (
        <p>The gateway answered by itself.</p>
      )}
    </>
  );
}
