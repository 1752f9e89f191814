import { hrefOf } from '../address.js';
import { Answer } from '../parts/states.js';
import { CountLink } from '../parts/text.js';
import { can } from '../session.js';
import { useAskGraph } from '../use-ask.js';
import week from './week.graphql';

/** What `week.graphql` answers. */
interface WeekData {
  readonly opened: { readonly total: number };
  readonly fixed: { readonly total: number };
}

/** What is new and what was fixed since a moment: each number is that of the list which it leads to. */
export function Week({ since }: { readonly since: string }) {
  const isAllowed = can('check:read');
  const counted = useAskGraph<WeekData>(week, isAllowed ? { since } : null);
  return (
    <div class="tile">
      <h2>Last 7 days</h2>
      {isAllowed ? (
        <Answer asked={counted} what="what is new and fixed" rows={2}>
          {({ opened, fixed }) => (
            <>
              <p>
                <CountLink count={opened.total} href={hrefOf(['findings'], { first_seen_after: since })} /> new
              </p>
              <p>
                <CountLink count={fixed.total} href={hrefOf(['findings'], { resolved_after: since })} /> fixed
              </p>
            </>
          )}
        </Answer>
      ) : (
        <p class="soft">Not yours to see.</p>
      )}
    </div>
  );
}
