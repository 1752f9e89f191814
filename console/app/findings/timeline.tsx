import { useState } from 'preact/hooks';
import { hrefOf } from '../address.js';
import { refusalFor, send } from '../api.js';
import { wordOf } from '../format.js';
import { tellProblem } from '../notices.js';
import { Answer } from '../parts/states.js';
import { Moment, StateMark } from '../parts/text.js';
import { can } from '../session.js';
import { useAsk } from '../use-ask.js';
import type { Page } from '../paged-list.js';
import type { TimelineEvent } from './detail.js';

const WORDS: Readonly<Record<string, string>> = {
  'finding.open': 'opened it',
  'finding.status': 'moved it',
  'finding.suppress': 'suppressed it',
  'finding.unsuppress': 'lifted the suppression',
  'finding.assign': 'assigned it',
  'finding.comment': 'wrote',
  'finding.resolve': 'did not see it any more',
  'finding.regress': 'saw it again',
  'finding.rescore': 'scored it anew',
  'finding.link_ticket': 'linked a ticket',
  'finding.unlink_ticket': 'unlinked the ticket',
};

function Event({ event }: { readonly event: TimelineEvent }) {
  const { action, at, actor_email, from, to, note, assignee, due_at, scan_run_id } = event;
  return (
    <li>
      <p>
        <b>{actor_email === 'system' ? 'A run' : actor_email}</b> {WORDS[action] ?? action}
        {from && to && from !== to && (
          <>
            {' '}
            from {wordOf(from)} to <StateMark state={to} />
          </>
        )}
        {action === 'finding.assign' && assignee !== null && ` to ${assignee}`}
        {due_at && ` until ${due_at.slice(0, 10)}`} <Moment time={at} />
        {scan_run_id && (
          <>
            {' '}
            <a href={hrefOf(['scans', scan_run_id])}>run</a>
          </>
        )}
      </p>
      {note && <p class="text said">{note}</p>}
    </li>
  );
}

/** What happened to a finding, newest first, and a field to add to it. `path` is the finding's; another `turn` reads it anew. */
export function Timeline({ path, turn }: { readonly path: string; readonly turn: number }) {
  const [size, setSize] = useState(20);
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const timeline = useAsk<Page<TimelineEvent>>(`${path}/timeline?page_size=${size}`, turn);
  const write = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await send('POST', `${path}/comments`, { text: text.trim() });
      setText('');
      timeline.reload();
    } catch (problem) {
      tellProblem(`The comment was not kept: ${refusalFor(problem).message}.`);
    }
    setBusy(false);
  };
  return (
    <>
      {can('scans:create') && (
        <form class="comment" onSubmit={(event) => void write(event)}>
          <textarea
            rows={2}
            maxLength={4_000}
            aria-label="Comment"
            placeholder="Comment; @name@example.com tells a colleague"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <button type="submit" disabled={isBusy || text.trim() === ''}>
            Comment
          </button>
        </form>
      )}
      <Answer asked={timeline} what="the timeline">
        {({ items, total }) => (
          <>
            <ol class="timeline">
              {items.map((event) => (
                <Event key={event.seq} event={event} />
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
    </>
  );
}
