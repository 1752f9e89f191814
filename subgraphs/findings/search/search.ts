import { badRequest, PalisadeError } from '../../../kit/base/errors.js';
import { holds } from '../../../kit/base/auth-context.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { pageWindow, toPage, type PageArguments, type PageWindow } from '../../../kit/store/paging.js';
import { findInAnyOrder } from './any-order.js';
import { catalogWords } from './catalogued.js';
import { correctedText } from './correct.js';
import { SEARCH_KINDS, type SearchHit, type SearchKind } from './hit.js';
import { SEARCH_SOURCES, type SearchSource } from './sources.js';
import { takenInTurns } from './turns.js';

/** Letters of the shortest text that is searched, and of the longest. */
const [SHORTEST, LONGEST] = [2, 256];

export interface SearchArguments extends PageArguments {
  q?: string | null;
  kind?: readonly SearchKind[] | null;
}

interface Searched {
  readonly kind: SearchKind;
  readonly source: SearchSource;
  readonly total: number;
  /** The first of its hits. */
  readonly first: readonly SearchHit[];
}

/**
 * What a text finds among assets, findings, rules, controls, frameworks and CVEs: the kinds take turns, each in the order of its own list; several words are found in any order. A text that
 * finds nothing is corrected to what the caller may have meant. What the caller may not read is neither shown nor counted.
 * @throws PalisadeError BAD_REQUEST for a text that is too short or too long
 */
export async function searchAll(context: EngineContext, { q, kind, ...paging }: SearchArguments) {
  const window = pageWindow(paging);
  const text = q?.trim() ?? '';
  const kinds = SEARCH_KINDS.filter((one) => !kind || kind.includes(one));
  if (text === '') return { ...(await searchFor(context, text, [], window)), corrected: null };
  if (text.length < SHORTEST || text.length > LONGEST) throw badRequest(`q must have from ${SHORTEST} to ${LONGEST} characters`);
  const found = await searchFor(context, text, kinds, window);
  if (found.total > 0) return { ...found, corrected: null };
  const first = async (part: string, count: number) => (await searchFor(context, part, kinds, pageWindow({ page_size: count }))).items;
  const corrected = await correctedText(text, first, catalogWords);
  return { ...(corrected === null ? found : await searchFor(context, corrected, kinds, window)), corrected };
}

async function searchFor(context: EngineContext, text: string, kinds: readonly SearchKind[], window: PageWindow) {
  const missing = { restricted: new Set<string>(), degraded: new Set<string>() };
  const ask = async (source: SearchSource, page: number, page_size: number) => {
    try {
      const found = await findInAnyOrder(source, context, text, page, page_size);
      for (const name of found.restrictedEngines ?? []) missing.restricted.add(name);
      for (const name of found.degradedEngines ?? []) missing.degraded.add(name);
      return found;
    } catch (error) {
      if (!(error instanceof PalisadeError) || !['UPSTREAM_UNAVAILABLE', 'INTERNAL'].includes(error.code)) throw error;
      missing.degraded.add(source.engine);
      return { items: [], total: 0 };
    }
  };
  const readable = kinds.filter((one) => {
    const may = holds(context.auth, SEARCH_SOURCES[one].requires);
    if (!may) missing.restricted.add(SEARCH_SOURCES[one].engine);
    return may;
  });
  // of the first page no source shows more than it has rows, so that each is asked once
  const size = window.skip === 0 ? window.limit : 1;
  const searched: Searched[] = await Promise.all(
    readable.map(async (one) => {
      const source = SEARCH_SOURCES[one];
      const { total, items } = await ask(source, 1, size);
      return { kind: one, source, total, first: items };
    }),
  );
  const totals = searched.map(({ total }) => total);
  const [before, behind] = [takenInTurns(totals, window.skip), takenInTurns(totals, window.skip + window.limit)];
  const parts = await Promise.all(
    searched.map(({ source, first }, n) =>
      behind[n]! <= first.length
        ? first.slice(before[n], behind[n])
        : rowsOf((page, pageSize) => ask(source, page, pageSize), before[n]!, behind[n]!),
    ),
  );
  const total = totals.reduce((sum, one) => sum + one, 0);
  return {
    ...toPage(inTurns(parts, before), total, window),
    totals: totalsOf(searched),
    degradedEngines: [...missing.degraded],
    restrictedEngines: [...missing.restricted],
  };
}

const totalsOf = (searched: readonly Searched[]) =>
  SEARCH_KINDS.map((kind) => ({ kind, total: searched.find((each) => each.kind === kind)?.total ?? 0 }));

/** The hits of a source from one place up to another, which pages of its own list show. */
async function rowsOf(
  ask: (page: number, size: number) => Promise<{ items: readonly SearchHit[] }>,
  from: number,
  to: number,
): Promise<SearchHit[]> {
  if (from >= to) return [];
  const size = to - from;
  const first = Math.floor(from / size);
  const pages = await Promise.all((from % size === 0 ? [first] : [first, first + 1]).map((page) => ask(page + 1, size)));
  return pages.flatMap(({ items }) => items).slice(from - first * size, to - first * size);
}

/** The hits of some parts in the order of turns: the n-th of every list before the one behind it of any. @param from where each part begins in its list */
function inTurns(parts: readonly (readonly SearchHit[])[], from: readonly number[]): SearchHit[] {
  const placed = parts.flatMap((part, kind) => part.map((hit, n) => ({ hit, turn: from[kind]! + n, kind })));
  return placed.sort((one, other) => one.turn - other.turn || one.kind - other.kind).map(({ hit }) => hit);
}
