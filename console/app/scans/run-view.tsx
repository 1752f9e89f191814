import { hrefOf } from '../address.js';
import { refusalFor, send } from '../api.js';
import { countText, wordOf } from '../format.js';
import { tellProblem } from '../notices.js';
import { ShortTable } from '../parts/columns.js';
import { PageHead } from '../parts/page-head.js';
import { Section } from '../parts/section.js';
import { Answer } from '../parts/states.js';
import { Facts, Moment, StateMark } from '../parts/text.js';
import { can } from '../session.js';
import { useAsk } from '../use-ask.js';
import { mayCancel, mayRetry, runPath, type ScanRun } from './run.js';
import { useLiveRun } from './use-live-run.js';

const COUNTS = [
  ['records', 'Records'],
  ['skipped', 'Skipped'],
  ['new', 'New'],
  ['updated', 'Seen again'],
  ['regressed', 'Came back'],
  ['resolved', 'Fixed'],
] as const;

/** One run: how far it is, what it brought, and what went wrong. */
export function RunView({ id }: { readonly id: string }) {
  const asked = useAsk<ScanRun>(runPath(id));
  const event = useLiveRun(asked.body, asked.reload);
  const order = (what: 'cancel' | 'retry') =>
    send('POST', `${runPath(id)}/${what}`).then(asked.reload, (problem: unknown) =>
      tellProblem(`Not done: ${refusalFor(problem).message}.`),
    );
  return (
    <div class="page">
      <PageHead title={id} under={[{ href: hrefOf(['scans']), text: 'Scans' }]} />
      <Answer asked={asked} what="the run">
        {(run) => {
          const { state, counts } = event ?? run;
          return (
            <>
              <p class="marks" role="status">
                <StateMark state={state} />
                {run.queued_behind && <span>waits for {run.queued_behind}</span>}
                {can('scans:create') && mayCancel(state) && (
                  <button type="button" onClick={() => void order('cancel')}>
                    Cancel the run
                  </button>
                )}
                {can('scans:create') && mayRetry(state) && (
                  <button type="button" onClick={() => void order('retry')}>
                    Run what failed again
                  </button>
                )}
              </p>
              {event && (
                <ul class="stages" aria-label="Stages">
                  {event.stages.map((stage) => (
                    <li key={stage.stage}>
                      {wordOf(stage.stage)} <StateMark state={stage.state} />
                    </li>
                  ))}
                </ul>
              )}
              <div class="tiles">
                {COUNTS.map(([name, title]) => (
                  <div key={name} class="tile">
                    <h2>{title}</h2>
                    <p class="big">{countText(counts[name])}</p>
                  </div>
                ))}
                <div class="tile">
                  <h2>Findings last seen by it</h2>
                  <p>
                    <a class="big" href={hrefOf(['findings'], { scan_run_id: run.scan_run_id })}>
                      {countText(run.total_findings)}
                    </a>
                  </p>
                </div>
              </div>
              <Facts
                of={[
                  ['Format', run.format ?? run.trigger],
                  ['Account', run.account_id],
                  ['Provider', run.provider],
                  ['Observed', <Moment time={run.observed_at} />],
                  ['Started', <Moment time={run.started_at} />],
                  ['Ended', <Moment time={run.completed_at} empty="not yet" />],
                ]}
              />
              <Section title="Engines">
                <ShortTable
                  label="Engines of the run"
                  rows={run.engines}
                  keyOf={({ engine }) => engine}
                  columns={[
                    { id: 'engine', title: 'Engine', cell: ({ engine }) => engine },
                    { id: 'state', title: 'State', width: 130, cell: (engine) => <StateMark state={engine.state} /> },
                    { id: 'tries', title: 'Tries', width: 60, align: 'end', cell: ({ attempts }) => attempts },
                    { id: 'error', title: 'Error', when: 'wide', cell: ({ error }) => error ?? '' },
                  ]}
                />
              </Section>
              {run.errors.length > 0 && (
                <Section title={`What could not be read (the first ${run.errors.length})`}>
                  <ul class="plain">
                    {run.errors.map(({ position, reason }, index) => (
                      <li key={index}>
                        <code>{position}</code> {reason}
                      </li>
                    ))}
                  </ul>
                </Section>
              )}
            </>
          );
        }}
      </Answer>
    </div>
  );
}
