import { CallFailed, type RestAnswer } from './rest-client.js';

/** So many pages are read of one list: what a provider could hold is far less, and one that never ends does. */
const MOST_PAGES = 10_000;

/** An answer that is none: a list that was refused, or has a fault. */
export interface Unanswered {
  readonly answer: RestAnswer;
}

/**
 * The pages of a list, one after the other, until the interface names no next one.
 * @param ask asks for the page of a token, or for the first
 * @param nextOf the token of the page behind one
 * @returns the answer that was no page, where it ended with such a one
 * @throws CallFailed when the interface names a page that was read before, or never ends; what `ask` throws
 */
export async function* pagesOf(
  ask: (token: string | undefined) => Promise<RestAnswer>,
  nextOf: (page: Readonly<Record<string, unknown>>) => unknown,
  mostPages = MOST_PAGES,
): AsyncGenerator<Record<string, unknown>, Unanswered | undefined> {
  const read = new Set<string>();
  let token: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const answer = await ask(token);
    if (!answer.ok) return { answer };
    if (typeof answer.body !== 'object' || answer.body === null || Array.isArray(answer.body))
      throw new CallFailed('The interface answered with something else than a page of a list.');
    yield answer.body as Record<string, unknown>;
    const next = nextOf(answer.body as Record<string, unknown>);
    if (typeof next !== 'string' || next === '') return undefined;
    if (read.has(next)) throw new CallFailed('The interface named a page again that was read before.');
    read.add(next);
    token = next;
  }
  throw new CallFailed(`The interface named more than ${mostPages} pages.`);
}
