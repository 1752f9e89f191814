import { atMost, type Step, type Work } from '../at-most.js';
import { pagesOf } from '../pages.js';
import { piecesOf } from '../pieces.js';
import { CallFailed, type RestAnswer } from '../rest-client.js';
import { ConnectionRefused, type CollectedRecord, type NotAnswered, type RecordedAnswer, type Skipped } from '../types.js';
import type { Provider } from '../../schema/model.js';
import type { Line } from './line.js';
import { filled, onlyAt, thingsAt, without, type Holder } from './thing.js';

/** What an interface's answer that is none says of what was asked. */
export type Verdict = 'none' | 'denied' | 'failed' | 'skipped';

/** An interface that tells lists. */
export interface Interface {
  readonly provider: Provider;
  /** Makes the call of a line at an address that is filled in. @throws ConnectionRefused, CallFailed, the reason of the signal */
  ask(line: Line, address: Address, signal: AbortSignal): Promise<RestAnswer>;
  /** The path of the page behind one; undefined behind the last. */
  next(path: string, page: Readonly<Record<string, unknown>>): string | undefined;
  /** Whether a thing is in the regions that are asked, where lists hold those of all. */
  isIn?(item: Readonly<Record<string, unknown>>): boolean;
  /** What a permission is called in sentences, where its own name does not tell it apart. */
  permissionOf?(service: string, permission: string): string;
  verdictOf(answer: RestAnswer): Verdict;
  /** The code of an answer that says that there is none, where a table tells such codes from others (`none`). */
  codeOf?(answer: RestAnswer): string | undefined;
  /** The sentence for people about an answer by which a service is `skipped`. */
  readonly skippedBecause?: string;
  /** What is told of an answer that is none: `answered 403 (Forbidden)`. */
  saidBy(answer: RestAnswer): string;
}

/** Where a call goes. */
export interface Address {
  readonly host: string;
  readonly path: string;
}

/** Where something is asked. */
export interface Place {
  /** Told of the answers, where it is one. */
  readonly region?: string;
  /** What paths may name. */
  readonly values: Readonly<Record<string, string>>;
  /** What tells the part of the account from others of the same line: a region, a compartment. */
  readonly name: string;
}

/** A line that is asked in a place. */
export interface Asked {
  readonly service: string;
  readonly line: Line;
  readonly place: Place;
}

interface Run {
  readonly of: Interface;
  readonly signal: AbortSignal;
  /** Parts of the account: whether all of it was told so far. */
  readonly parts: Map<string, boolean>;
  /** What is wrong with a call is wrong with it about many things: it is told once each. */
  readonly told: Set<string>;
  answered: boolean;
}

/** What a line tells. */
type Told = RecordedAnswer | NotAnswered | Skipped;

/** Calls at once: what providers grant one identity is some tens a second. */
const WIDTH = 6;

/**
 * Asks lines, and about each thing that they tell, to the end.
 * @param nothing said when every call was denied
 * @throws ConnectionRefused; the reason of the signal
 */
export async function* collectLines(
  of: Interface,
  asked: readonly Asked[],
  signal: AbortSignal,
  nothing: string,
): AsyncGenerator<CollectedRecord> {
  const over = new AbortController();
  const run: Run = { of, signal: AbortSignal.any([signal, over.signal]), parts: new Map(), told: new Set(), answered: false };
  const works = asked.map((one) => workOf(run, one, { item: one.place.values }, partOf(one)));
  yield* atMost<Told>(WIDTH, works, () => over.abort());
  signal.throwIfAborted();
  if (!run.answered && run.told.size > 0 && [...run.told].every((text) => text.includes(MISSING))) throw new ConnectionRefused(nothing);
  yield { source: of.provider, whole: [...run.parts].flatMap(([part, isWhole]) => (isWhole ? [part] : [])) };
}

/** A list and all that is asked about its things is told together, or not to its end. */
const partOf = ({ service, line, place }: Asked): string => `${service}/${line.call} ${place.name}`.trim().slice(0, 200);

const MISSING = 'is missing';

/** A host is made of what an interface has told, which may be no name of one. */
const HOST = /^[a-z0-9.-]+$/;

function workOf(run: Run, asked: Asked, holder: Holder, part: string): Work<Told> {
  const { line, place, service } = asked;
  return async function* (): AsyncGenerator<Step<Told>> {
    run.parts.set(part, run.parts.get(part) ?? true);
    const [host, path] = [filled(line.host, holder), filled(line.path, holder, encodeURIComponent)];
    // a thing without what the question names has none of it
    if (host === undefined || path === undefined || !HOST.test(host)) return;
    const call = `${run.of.provider}/${service}/${line.call}`;
    const region = place.region === undefined ? {} : { region: place.region };
    const about = holder.within === undefined ? undefined : filled(line.about ?? '{id}', holder);
    const source = about === undefined ? call : `${call}__${encodeURIComponent(about)}`;
    for await (const told of toldBy(run, asked, { host, path })) {
      if ('not_answered' in told) {
        run.parts.set(part, false);
        if (told.isSkipped) {
          yield { item: { source: call, ...region, part, skipped: told.not_answered } };
          continue;
        }
        const key = `${call} ${place.name} ${told.not_answered}`;
        if (!run.told.has(key)) yield { item: { source: call, ...region, part, not_answered: told.not_answered } };
        run.told.add(key);
        continue;
      }
      run.answered = true;
      if (told.page === undefined) {
        // that a thing has none of it is as good an answer as another
        if (about !== undefined && told.error !== undefined) yield { item: { source, ...region, error: told.error, part } };
        continue;
      }
      const page = pageOf(run.of, line, told.page);
      const list = line.each ?? Object.keys(page).find((name) => Array.isArray(page[name])) ?? '';
      for (const response of piecesOf(page, list)) yield { item: { source, ...region, response, part } };
      for (const item of line.then === undefined ? [] : thingsAt(page, line.each ?? '.'))
        for (const next of line.then ?? [])
          if (fits(next.only, item)) yield { more: workOf(run, { ...asked, line: next }, { item, within: holder }, part) };
    }
  };
}

/** What is told of a page: without secrets, and without things of other services and regions. */
function pageOf({ isIn = () => true }: Interface, line: Line, answer: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const page = without(answer, line.without ?? []) as Record<string, unknown>;
  const { each, keep } = line;
  return each === undefined ? page : (onlyAt(page, each, (item) => fits(keep, item) && isIn(item)) as Record<string, unknown>);
}

const fits = (conditions: Line['only'] = {}, item: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(conditions).every(([path, pattern]) => pattern.test(filled(`{${path}}`, { item }) ?? ''));

/** A page, or that there is none; or why there is no answer, and whether that is as it has to be. */
type Page =
  | { readonly page: Record<string, unknown> }
  | { readonly page: undefined; readonly error?: string | undefined }
  | { readonly not_answered: string; readonly isSkipped?: boolean };

async function* toldBy(run: Run, { line, service }: Asked, first: Address): AsyncGenerator<Page> {
  const { of, signal } = run;
  let { path } = first;
  const pages = pagesOf(
    (next) => of.ask(line, { host: first.host, path: (path = next ?? first.path) }, signal),
    (page) => of.next(path, page),
  );
  try {
    for (;;) {
      const { done, value } = await pages.next();
      if (!done) {
        yield { page: value };
        continue;
      }
      const verdict = value === undefined ? undefined : of.verdictOf(value.answer);
      const permission = of.permissionOf?.(service, line.permission) ?? line.permission;
      if (verdict === 'none') yield { page: undefined, error: value && of.codeOf?.(value.answer) };
      else if (verdict === 'denied') yield { not_answered: `The permission ${permission} ${MISSING}.` };
      else if (verdict === 'skipped')
        yield { not_answered: `${of.skippedBecause ?? ''} The call ${of.saidBy(value!.answer)}.`.trim(), isSkipped: true };
      else if (value !== undefined) yield { not_answered: `The call ${of.saidBy(value.answer)}.` };
      return;
    }
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    // a service that is not in the region has no address there, unless nothing has
    yield error.isNowhere && run.answered ? { page: undefined } : { not_answered: error.message };
  }
}
