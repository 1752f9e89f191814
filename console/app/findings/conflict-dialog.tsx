import { wordOf } from '../format.js';
import { Dialog } from '../parts/dialog.js';
import { Answer } from '../parts/states.js';
import { Moment, StateMark } from '../parts/text.js';
import { useAsk } from '../use-ask.js';
import type { Page } from '../paged-list.js';
import type { FindingView, TimelineEvent } from './detail.js';
import { viewOf, type Target } from './finding.js';
import type { Change } from './triage.js';

interface ConflictDialogProps {
  readonly target: Target;
  readonly change: Change;
  readonly close: () => void;
  /** Does it on the finding as it is now. */
  readonly again: (now: Target) => void;
  /** Shows it as it is now. */
  readonly keep: (now: Pick<Target, 'status' | 'version' | 'assignee' | 'due_at'>) => void;
}

const wanted = (change: Change): string =>
  change.kind === 'status' ? wordOf(change.status) : `assigned to ${change.assignee ?? 'nobody'}`;

/** Somebody was faster: shows what is there now beside what was wanted, and lets the person decide. */
export function ConflictDialog({ target, change, close, again, keep }: ConflictDialogProps) {
  const now = useAsk<FindingView>(viewOf(target));
  const last = useAsk<Page<TimelineEvent>>(`${viewOf(target)}/timeline?page_size=1`);
  return (
    <Dialog title="Somebody was faster" close={close}>
      <p>{target.title}</p>
      <Answer asked={now} what="the finding as it is now">
        {({ header: { status, version, assignee, dueAt } }) => {
          const event = last.body?.items[0];
          const fresh = { status, version, assignee, due_at: dueAt };
          return (
            <>
              <dl class="facts">
                <div>
                  <dt>You saw</dt>
                  <dd>
                    <StateMark state={target.status} /> {target.assignee && `, ${target.assignee}`}
                  </dd>
                </div>
                <div>
                  <dt>You want</dt>
                  <dd>{wanted(change)}</dd>
                </div>
                <div>
                  <dt>It is now</dt>
                  <dd>
                    <StateMark state={status} /> {assignee && `, ${assignee}`}
                    {event && (
                      <small>
                        {' '}
                        by {event.actor_email} <Moment time={event.at} />
                        {event.note && `: ${event.note}`}
                      </small>
                    )}
                  </dd>
                </div>
              </dl>
              <p>Nothing was changed.</p>
              <footer>
                <button
                  type="button"
                  onClick={() => {
                    keep(fresh);
                    close();
                  }}
                >
                  Leave it as it is now
                </button>
                <button
                  type="button"
                  class="main"
                  onClick={() => {
                    again({ ...target, ...fresh });
                    close();
                  }}
                >
                  Change it all the same
                </button>
              </footer>
            </>
          );
        }}
      </Answer>
    </Dialog>
  );
}
