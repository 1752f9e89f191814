import type { Need } from './granted.js';

const DAY = 86_400_000;
/** Days without a use after which a right is called unused. */
export const WINDOW_DAYS = 90;
/** Logs and reports are brought some time after they were written. */
const FRESH = 7 * DAY;
/** A log that begins in the first day of the window is taken to begin with it. */
const GRACE = DAY;

/** A class of log of one account, and for which times it is held. */
export interface Coverage {
  log: string;
  spans: readonly { from: Date; to: Date }[];
}

/** What a report says of when each service was last used by an identity; null for one that was not used in all the time that it looks back. */
export interface LastAccess {
  reported_at: Date;
  services: ReadonlyMap<string, Date | null>;
}

/** Whether it is known what an identity did not use, and what is missing to know it. */
export interface Evidence {
  /** Every right's use would have been seen. */
  isSufficient: boolean;
  /** Rights whose use would have been seen. */
  judged: number;
  /** Whether the use of the rights of a service that show in a class of log would have been seen. */
  isSeen(log: string | null, service: string): boolean;
  /** Services all of whose rights would have been seen. */
  judgedServices: ReadonlySet<string>;
  missing: string[];
}

export const windowStart = (now: Date): Date => new Date(now.getTime() - WINDOW_DAYS * DAY);

/** Things that are missing, and services that are named of one, at most. */
const MOST_MISSING = 10;
const MOST_SERVICES = 8;

/** Which of the rights that an identity has would have been seen if it had used them in the last 90 days. */
export function evidenceOf(needs: readonly Need[], coverage: readonly Coverage[], lastAccess: LastAccess | null, now: Date): Evidence {
  const covered = new Set(coverage.filter(({ spans }) => spans.some((span) => spansWindow(span, now))).map(({ log }) => log));
  const open = new Map<string, { services: Set<string>; rights: number }>();
  const unseen = new Set<string>();
  let judged = 0;
  const isSeen = (log: string | null, service: string) => (log !== null && covered.has(log)) || isUntouched(lastAccess, service, now);
  for (const { log, service, rights } of needs) {
    if (isSeen(log, service)) {
      judged += rights;
      continue;
    }
    const key = log ?? '';
    const of = open.get(key) ?? { services: new Set(), rights: 0 };
    of.services.add(service);
    of.rights += rights;
    open.set(key, of);
    unseen.add(service);
  }
  const missing = [...open]
    .sort(([, a], [, b]) => b.rights - a.rights)
    .slice(0, MOST_MISSING)
    .map(([log, { services }]) => missingOf(log, services, coverage, now));
  const judgedServices = new Set(needs.map(({ service }) => service).filter((service) => !unseen.has(service)));
  return { isSufficient: open.size === 0, judged, isSeen, judgedServices, missing };
}

const spansWindow = ({ from, to }: { from: Date; to: Date }, now: Date): boolean =>
  from.getTime() <= windowStart(now).getTime() + GRACE && to.getTime() >= now.getTime() - FRESH;

/** Whether a report says that nothing of a service was used in the window. */
function isUntouched(lastAccess: LastAccess | null, service: string, now: Date): boolean {
  if (lastAccess === null || lastAccess.reported_at.getTime() < now.getTime() - FRESH) return false;
  const used = lastAccess.services.get(service);
  return used === null || (used !== undefined && used < windowStart(now));
}

function missingOf(log: string, services: ReadonlySet<string>, coverage: readonly Coverage[], now: Date): string {
  const named = [...services].sort();
  const of = `${named.slice(0, MOST_SERVICES).join(', ')}${named.length > MOST_SERVICES ? ` and ${named.length - MOST_SERVICES} more` : ''}`;
  if (log === '') return `no log shows the use of some rights of ${of}; a report of last access does`;
  const held = coverage.find((one) => one.log === log)?.spans.at(-1);
  const day = (time: Date) => time.toISOString().slice(0, 10);
  const is = held === undefined ? 'is not held' : `is held from ${day(held.from)} to ${day(held.to)}`;
  return `the log ${log} ${is}, and ${day(windowStart(now))} to ${day(now)} is needed for ${of}`;
}
