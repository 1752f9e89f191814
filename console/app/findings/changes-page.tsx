import { useEffect, useState } from 'preact/hooks';
import type { FindingStatus, Severity } from '../../../schema/model.js';
import { hrefOf, picked, queryText } from '../address.js';
import { ask, type Refusal } from '../api.js';
import { countText, wordOf } from '../format.js';
import { ShortTable } from '../parts/columns.js';
import { PageHead } from '../parts/page-head.js';
import { Empty, Failed, Partial, Waiting } from '../parts/states.js';
import { Moment, SeverityMark, StateMark } from '../parts/text.js';
import { address, addressText } from '../place.js';
import { refusalFor } from '../use-ask.js';

interface Change {
  readonly seq: number;
  readonly kind: string;
  readonly at: string;
  readonly engine: string;
  readonly finding_id: string;
  readonly status: FindingStatus;
  readonly severity: Severity;
  readonly finding: { readonly title: string } | null;
}
interface Feed {
  readonly items: readonly Change[];
  readonly next_cursor: string;
  readonly has_more: boolean;
  readonly restrictedEngines: readonly string[];
}

const MOST = 500;

/** What became of findings, in order (`GET /findings/changes`): the list behind what was fixed lately. */
export function ChangesPage() {
  const [feed, setFeed] = useState<Feed | null>(null);
  const [error, setError] = useState<Refusal | null>(null);
  const query = queryText(picked(address.value.query, ['kind', 'from', 'severity', 'engine']));
  const read = async (before: Feed | null) => {
    setError(null);
    const place = before ? `&after=${encodeURIComponent(before.next_cursor)}` : '';
    try {
      // a cursor knows where it is, so `from` is for the first page alone
      const text = before ? queryText(picked(address.value.query, ['kind', 'severity', 'engine'])) : query;
      const next = await ask<Feed>(`/api/v1/findings/changes?${text}&limit=${MOST}${place}`);
      setFeed({ ...next, items: [...(before?.items ?? []), ...next.items] });
    } catch (problem) {
      setError(refusalFor(problem));
    }
  };
  useEffect(() => {
    setFeed(null);
    void read(null);
  }, [addressText.value]);
  const kinds = address.value.query.get('kind') ?? [];
  return (
    <div class="page">
      <PageHead
        title={kinds.length === 1 ? `Findings ${wordOf(kinds[0]!).toLowerCase()}` : 'Changes of findings'}
        under={[{ href: hrefOf(['findings']), text: 'Findings' }]}
      >
        <span class="count">{feed && `${countText(feed.items.length)}${feed.has_more ? '+' : ''}`}</span>
      </PageHead>
      {error && <Failed error={error} what="changes" retry={() => void read(feed)} />}
      {!feed && !error && <Waiting what="changes" rows={8} />}
      {feed && <Partial restricted={feed.restrictedEngines} />}
      {feed?.items.length === 0 && (
        <Empty>
          <p>Nothing of the kind happened since then.</p>
        </Empty>
      )}
      {feed && feed.items.length > 0 && (
        <ShortTable
          label="Changes, oldest first"
          rows={feed.items}
          keyOf={({ seq }) => String(seq)}
          columns={[
            { id: 'severity', title: 'Severity', width: 96, cell: ({ severity }) => <SeverityMark severity={severity} /> },
            {
              id: 'finding',
              title: 'Finding',
              cell: ({ engine, finding_id, finding }) => (
                <a href={hrefOf(['findings'], { open: `${engine}/${finding_id}` })}>{finding?.title ?? finding_id}</a>
              ),
            },
            { id: 'engine', title: 'Engine', width: 140, when: 'wide', cell: ({ engine }) => engine },
            { id: 'kind', title: 'Change', width: 100, cell: ({ kind }) => wordOf(kind) },
            { id: 'status', title: 'Status then', width: 120, when: 'wide', cell: ({ status }) => <StateMark state={status} /> },
            { id: 'at', title: 'When', width: 110, cell: ({ at }) => <Moment time={at} /> },
          ]}
        />
      )}
      {feed?.has_more && (
        <button type="button" onClick={() => void read(feed)}>
          More
        </button>
      )}
    </div>
  );
}
