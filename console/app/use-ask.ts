import { useEffect, useReducer, useRef } from 'preact/hooks';
import { ask, Refusal, refusalFor } from './api.js';
import { askGraph } from './graph.js';

/** What is known of an answer. */
export interface Asked<Body> {
  readonly body: Body | null;
  readonly error: Refusal | null;
  readonly reload: () => void;
}

/** Answers of before, so that going back shows at once what was there; it is asked anew all the same. */
const kept = new Map<string, unknown>();
const MOST_KEPT = 60;

function keep(path: string, body: unknown): void {
  kept.delete(path);
  kept.set(path, body);
  if (kept.size > MOST_KEPT) kept.delete([...kept.keys()][0]!);
}

interface State {
  readonly path: string | null;
  readonly body: unknown;
  readonly error: Refusal | null;
}

/**
 * Asks the API, again whenever the path is another one.
 * @param path null where there is nothing to ask, or nothing that the person may ask
 * @param turn another one asks anew
 */
export function useAsk<Body>(path: string | null, turn = 0): Asked<Body> {
  return useAnswer<Body>(path, ask, turn);
}

/** Asks the graph, by the hash of a document (`graph.ts`). @param variables null where there is nothing to ask, or nothing that the person may ask */
export function useAskGraph<Data>(document: string, variables: Readonly<Record<string, unknown>> | null): Asked<Data> {
  const text = variables && JSON.stringify(variables);
  const read = <Body>(_key: string, signal: AbortSignal) => askGraph<Body>(document, JSON.parse(text!) as Record<string, unknown>, signal);
  return useAnswer<Data>(text && `${document}\n${text}`, read);
}

type Read = <Body>(key: string, signal: AbortSignal) => Promise<Body>;

/** @param path what is asked for: another one is another question */
function useAnswer<Body>(path: string | null, read: Read, turn = 0): Asked<Body> {
  const [ownTurn, again] = useReducer((count: number) => count + 1, 0);
  const state = useRef<State>({ path: null, body: null, error: null });
  const [, draw] = useReducer((count: number) => count + 1, 0);
  if (state.current.path !== path) state.current = { path, body: path === null ? null : (kept.get(path) ?? null), error: null };
  useEffect(() => {
    if (path === null) return undefined;
    const left = new AbortController();
    const settle = (change: Partial<State>) => {
      if (left.signal.aborted || state.current.path !== path) return;
      state.current = { ...state.current, ...change };
      draw(undefined);
    };
    read<Body>(path, left.signal).then(
      (body) => {
        keep(path, body);
        settle({ body, error: null });
      },
      (error: unknown) => settle({ error: refusalFor(error), ...(error instanceof Refusal && error.status === 404 && { body: null }) }),
    );
    return () => left.abort();
  }, [path, turn, ownTurn]);
  return { body: state.current.body as Body | null, error: state.current.error, reload: () => again(undefined) };
}
