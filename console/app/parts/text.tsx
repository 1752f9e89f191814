import type { ComponentChildren } from 'preact';
import type { Severity } from '../../../schema/model.js';
import { agoText, countText, exactText, isWebAddress, truncateMiddle, wordOf } from '../format.js';

/** A severity: its letter, its word and its colour. */
export function SeverityMark({ severity }: { readonly severity: Severity | null }) {
  if (severity === null) return <span class="soft">not yours to see</span>;
  return (
    <span class={`severity ${severity}`}>
      <b aria-hidden="true">{severity.charAt(0).toUpperCase()}</b>
      <span>{severity}</span>
    </span>
  );
}

const SHAPES: Readonly<Record<string, string>> = {
  OPEN: '○',
  IN_PROGRESS: '◐',
  RESOLVED: '●',
  SUPPRESSED: '⊘',
  FALSE_POSITIVE: '×',
  QUEUED: '○',
  RUNNING: '◐',
  CANCELLING: '◐',
  COMPLETED: '●',
  PARTIAL: '◒',
  FAILED: '×',
  CANCELLED: '⊘',
  PASS: '●',
  FAIL: '×',
  MANUAL: '◇',
  NOT_ASSESSED: '○',
  holds: '●',
  broken: '×',
  active: '●',
  verified: '●',
  held: '◒',
  lapsed: '×',
  connected: '●',
  healthy: '●',
  sent: '●',
  met: '●',
  paused: '⊘',
  disconnected: '⊘',
  pending: '○',
  unknown: '○',
  waiting: '○',
  gathering: '○',
  sending: '◐',
  degraded: '◒',
  failing: '×',
  failed: '×',
  dead: '×',
  not_met: '×',
  skipped: '⊘',
};

/** A state with the shape that goes with it. */
export const StateMark = ({ state }: { readonly state: string }) => (
  <span class={`state ${state.toLowerCase()}`}>
    <i aria-hidden="true">{SHAPES[state] ?? '·'}</i> {wordOf(state)}
  </span>
);

/** A number that leads to what it counts; nought leads nowhere. */
export const CountLink = ({
  count,
  href,
  label,
}: {
  readonly count: number | null | undefined;
  readonly href: string;
  readonly label?: string;
}) =>
  count ? (
    <a href={href} aria-label={label}>
      {countText(count)}
    </a>
  ) : (
    <span class="soft">{countText(count)}</span>
  );

interface MomentProps {
  readonly time: string | null | undefined;
  readonly empty?: string;
  /** Whether its date and time are told, and not how long ago it was. */
  readonly isExact?: boolean;
}

/** A moment in words, in the reader's zone with the exact UTC where it is pointed at. */
export function Moment({ time, empty = '–', isExact = false }: MomentProps) {
  if (!time) return <span class="soft">{empty}</span>;
  return (
    <time dateTime={time} title={`${new Date(time).toLocaleString()} · ${time}`}>
      {isExact ? exactText(time) : agoText(time)}
    </time>
  );
}

/** An id or a path: its middle goes where the place is short, the whole is there for the pointer and to copy. */
export const Middle = ({ text, most = 40 }: { readonly text: string; readonly most?: number }) => (
  <span class="mono" title={text}>
    {truncateMiddle(text, most)}
  </span>
);

/** An address that came from outside: shown in full, and a link only where it is a page of the web. */
export const OuterLink = ({ url, title }: { readonly url: string; readonly title?: string | null }) => (
  <span class="outer">
    {title && title !== url && <span>{title} </span>}
    {isWebAddress(url) ? (
      <a href={url} target="_blank" rel="noopener noreferrer">
        {url}
      </a>
    ) : (
      <span class="mono">{url}</span>
    )}
  </span>
);

/** Terms with what they say; what is empty is left out. */
export function Facts({ of }: { readonly of: readonly (readonly [term: string, value: ComponentChildren])[] }) {
  const told = of.filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false);
  return (
    <dl class="facts">
      {told.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
