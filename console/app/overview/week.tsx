import { hrefOf } from '../address.js';
import { Failed, Waiting } from '../parts/states.js';
import { CountLink } from '../parts/text.js';
import { can } from '../session.js';
import { useAsk, type Asked } from '../use-ask.js';

interface Counted {
  readonly total: number;
}
/** A number of findings under a filter, and the way to them. */
function Count({ asked, href, word }: { readonly asked: Asked<Counted>; readonly href: string; readonly word: string }) {
  if (asked.error) return <Failed error={asked.error} what={`what is ${word}`} retry={asked.reload} />;
  if (!asked.body) return <Waiting what={`what is ${word}`} rows={1} />;
  return (
    <p>
      <CountLink count={asked.body.total} href={href} /> {word}
    </p>
  );
}

/** What is new and what was fixed since a moment: each number is that of the list which it leads to. */
export function Week({ since }: { readonly since: string }) {
  const isAllowed = can('check:read');
  const time = encodeURIComponent(since);
  const opened = useAsk<Counted>(isAllowed ? `/api/v1/findings?first_seen_after=${time}&page_size=1` : null);
  const fixed = useAsk<Counted>(isAllowed ? `/api/v1/findings?resolved_after=${time}&page_size=1` : null);
  return (
    <div class="tile">
      <h2>Last 7 days</h2>
      {isAllowed ? (
        <>
          <Count asked={opened} href={hrefOf(['findings'], { first_seen_after: since })} word="new" />
          <Count asked={fixed} href={hrefOf(['findings'], { resolved_after: since })} word="fixed" />
        </>
      ) : (
        <p class="soft">Not yours to see.</p>
      )}
    </div>
  );
}
