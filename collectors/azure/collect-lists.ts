import { inTurns } from '../in-turns.js';
import { pagesOf } from '../pages.js';
import { piecesOf } from '../pieces.js';
import { CallFailed, type RestAnswer } from '../rest-client.js';
import type { NotAnswered, RecordedAnswer } from '../types.js';
import type { AzureList } from './asked.js';
import { codeOf, saidBy } from './client.js';
import { listsOf } from './diagnosed.js';
import { partOfType, servicesIn, type AzureWork, type Thing } from './work.js';

/** So many lists are asked for at once: the Resource Manager grants some 25 calls a second for one application and subscription. */
const WIDTH = 4;
/** A page of a list may be asked for this often. */
const MOST_PAGES = 1_000;

/** What the resource providers list of the subscription, and of each thing in it. */
export async function* collectLists(work: AzureWork, things: readonly Thing[]): AsyncGenerator<RecordedAnswer | NotAnswered> {
  const byType = new Map<string, Thing[]>();
  for (const thing of things) {
    const type = thing.type.toLowerCase();
    const known = byType.get(type);
    if (known === undefined) byType.set(type, [thing]);
    else known.push(thing);
  }
  for (const list of servicesIn(work.target).flatMap(listsOf)) {
    if (!work.mayRead(list.type)) continue;
    const holders: Thing[] = list.of
      ? list.of.flatMap((type) => byType.get(type.toLowerCase()) ?? []).filter(({ kind }) => list.kinds?.test(kind) ?? true)
      : [{ id: work.subscription, type: '', kind: '', location: '' }];
    const part = partOfType(list.type);
    // things that the graph did not tell have lists, too
    let isWhole = (list.of ?? []).every((type) => work.whole.has(partOfType(type)));
    // what is wrong with a list is wrong with it below many things: it is told once each
    const told = new Set<string>();
    for await (const answers of inTurns(holders, WIDTH, work.signal, (holder, signal) => listOf(work, list, holder, signal)))
      for (const answer of answers) {
        if ('not_answered' in answer && told.has(answer.not_answered)) continue;
        if ('not_answered' in answer) {
          isWhole = false;
          told.add(answer.not_answered);
        }
        yield { ...answer, part };
      }
    if (isWhole) work.whole.add(part);
  }
}

/** One list to its end. @throws the reason of the signal; ConnectionRefused */
async function listOf(
  { client }: AzureWork,
  { type, path, version }: AzureList,
  { id, location }: Thing,
  signal: AbortSignal,
): Promise<(RecordedAnswer | NotAnswered)[]> {
  const place = { source: `azure/${type}`, ...(location !== '' && { region: location }) };
  const answers: (RecordedAnswer | NotAnswered)[] = [];
  const pages = pagesOf(
    (next) => client.call({ path: next ?? `${addressOf(id)}${path}?api-version=${version}` }, signal),
    (page) => page['nextLink'],
    MOST_PAGES,
  );
  try {
    for (;;) {
      const { done, value } = await pages.next();
      if (!done) for (const response of piecesOf(withIdsOf(id, value), 'value')) answers.push({ ...place, response });
      else {
        const answer = value?.answer;
        if (answer?.status === 403) answers.push({ ...place, not_answered: `The permission ${type}/read is missing for some.` });
        else if (answer !== undefined && !hasNone(answer)) answers.push({ ...place, not_answered: `The list ${saidBy(answer)}.` });
        return answers;
      }
    }
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    return [...answers, { ...place, not_answered: error.message }];
  }
}

/** Identifiers are paths; names in them can hold signs that a URL cannot. */
const addressOf = (id: string): string => id.split('/').map(encodeURIComponent).join('/');

/** A thing that is gone by now has no list, and one whose kind knows none. */
const hasNone = (answer: RestAnswer): boolean =>
  answer.status === 404 || /^(ResourceTypeNotSupported|FeatureNotSupportedForAccount)$/.test(codeOf(answer) ?? '');

/** A page whose identifiers begin as that of the thing does: providers write them in another case than the graph, and they are compared as they are. */
function withIdsOf(holder: string, page: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (!Array.isArray(page['value'])) return { ...page };
  const value = (page['value'] as unknown[]).map((entry) => {
    const id = (entry as { id?: unknown } | null)?.id;
    const isBelow = typeof id === 'string' && id.toLowerCase().startsWith(`${holder.toLowerCase()}/`);
    return isBelow ? { ...(entry as object), id: `${holder}${id.slice(holder.length)}` } : entry;
  });
  return { ...page, value };
}
