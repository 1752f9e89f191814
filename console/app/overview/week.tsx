import { hrefOf, queryText } from '../address.js';
import { countText } from '../format.js';
import { Failed, Waiting } from '../parts/states.js';
import { can } from '../session.js';
import { useAsk } from '../use-ask.js';

interface Counted {
  readonly total: number;
}
interface Feed {
  readonly items: readonly unknown[];
  readonly has_more: boolean;
}

/** Changes that are counted; with more the number says so. */
export const MOST_CHANGES = 500;

/** What is new and what is fixed since a moment: each number is that of the list which it leads to. */
export function Week({ since }: { readonly since: string }) {
  const isAllowed = can('check:read');
  const opened = queryText(new Map([['first_seen_after', [since]]]));
  const fixed = queryText(
    new Map([
      ['kind', ['resolved']],
      ['from', [since]],
    ]),
  );
  const news = useAsk<Counted>(isAllowed ? `/api/v1/findings?${opened}&page_size=1` : null);
  const fixes = useAsk<Feed>(isAllowed ? `/api/v1/findings/changes?${fixed}&limit=${MOST_CHANGES}` : null);
  return (
    <div class="tile">
      <h2>Last 7 days</h2>
      {!isAllowed && <p class="soft">Not yours to see.</p>}
      {(news.error ?? fixes.error) && <Failed error={(news.error ?? fixes.error)!} what="the last 7 days" />}
      {isAllowed && !news.body && !news.error && <Waiting what="the last 7 days" rows={1} />}
      {news.body && (
        <p>
          <a href={hrefOf(['findings'], { first_seen_after: since })}>{countText(news.body.total)}</a> new
        </p>
      )}
      {fixes.body && (
        <p>
          <a href={hrefOf(['changes'], { kind: 'resolved', from: since })}>
            {countText(fixes.body.items.length)}
            {fixes.body.has_more && '+'}
          </a>{' '}
          fixed
        </p>
      )}
    </div>
  );
}
