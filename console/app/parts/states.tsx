import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { PERMISSION_MATRIX, type Permission } from '../../../schema/permissions.js';
import type { Refusal } from '../api.js';
import { counted } from '../format.js';
import { can, me, tenantName } from '../session.js';
import type { Asked } from '../use-ask.js';

/** Milliseconds after which a wait is explained. */
const LONG = 5_000;

/** The place of what is on its way: nothing at first, then its outline, then a sentence. */
export function Waiting({ what, rows = 3 }: { readonly what: string; readonly rows?: number }) {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="waiting" role="status" aria-busy="true">
      <span class="hidden">Loading {what}</span>
      {Array.from({ length: rows }, (_, index) => (
        <i key={index} />
      ))}
      {isLong && <p>The server is still working on {what}.</p>}
    </div>
  );
}

const WORDS: Readonly<Record<string, string>> = {
  OFFLINE: 'The server was not reached. What is shown is from before.',
  NOT_FOUND: 'There is nothing here: it may be gone, or it is not yours to see.',
  UPSTREAM_UNAVAILABLE: 'The part of Palisade that answers this is away at the moment.',
  INTERNAL: 'Something went wrong on the server.',
};

function wordsOf(error: Refusal, what: string): string {
  if (error.status === 403)
    return `Your role does not let you see ${what}: ${error.message}. The admins of ${tenantName()} can change that.`;
  if (error.status === 429) return `Too many calls for the moment. Again in ${error.retryAfter ?? 60} seconds.`;
  return WORDS[error.code] ?? `${error.message}.`;
}

/** What is said in the place of something that could not be read. */
export const Failed = ({ error, what, retry }: { readonly error: Refusal; readonly what: string; readonly retry?: () => void }) => (
  <div class="message" role="alert">
    <p>{wordsOf(error, what)}</p>
    {retry && error.status !== 403 && error.status !== 404 && (
      <button type="button" onClick={retry}>
        Try again
      </button>
    )}
  </div>
);

const roleWord = (role: string | undefined): string => role?.replaceAll('_', ' ') ?? 'none';

/** The roles of a tenant that hold a permission, narrowest first. */
const holdersOf = (permission: Permission): string =>
  PERMISSION_MATRIX[permission]
    .filter((role) => role !== 'platform_admin')
    .map(roleWord)
    .reverse()
    .join(' or ');

/** What is said in the place of something that the person's role does not reach. */
export const NotAllowed = ({ what, permission }: { readonly what: string; readonly permission: Permission }) => (
  <div class="message">
    <p>
      {what} takes the permission <code>{permission}</code>, which your role, {roleWord(me.value?.role)}, does not have:{' '}
      {holdersOf(permission)} does. The admins of {tenantName()} can change your role.
    </p>
  </div>
);

/** Names the engines that an answer lacks; nothing where it is whole. */
export function Partial({
  degraded = [],
  restricted = [],
}: {
  readonly degraded?: readonly string[];
  readonly restricted?: readonly string[];
}) {
  if (degraded.length + restricted.length === 0) return null;
  return (
    <p class="partial">
      {degraded.length > 0 && (
        <span role="status">
          {counted(degraded.length, 'engine')} did not answer: {degraded.join(', ')}.{' '}
        </span>
      )}
      {restricted.length > 0 && (
        <details>
          <summary>
            {counted(restricted.length, 'engine')} {restricted.length === 1 ? 'is' : 'are'} not yours to read
          </summary>
          {restricted.join(', ')}: left out of every number here.
        </details>
      )}
    </p>
  );
}

interface AnswerProps<Body> {
  readonly asked: Asked<Body>;
  /** What it is, in the middle of a sentence. */
  readonly what: string;
  /** What it takes, where not everybody has that. */
  readonly needs?: Permission;
  readonly rows?: number;
  readonly children: (body: Body) => ComponentChildren;
}

/** An answer in all its states: not allowed, on its way, refused, and there. An old answer stays where a new one is refused. */
export function Answer<Body>({ asked, what, needs, rows, children }: AnswerProps<Body>) {
  if (needs && !can(needs)) return <NotAllowed what={what.charAt(0).toUpperCase() + what.slice(1)} permission={needs} />;
  return (
    <>
      {asked.error && <Failed error={asked.error} what={what} retry={asked.reload} />}
      {asked.body !== null ? children(asked.body) : !asked.error && <Waiting what={what} rows={rows} />}
    </>
  );
}

/** A list that has nothing in it: what that means, and what leads on. */
export const Empty = ({ children }: { readonly children: ComponentChildren }) => <div class="message">{children}</div>;
