import type { Fetcher } from '@graphiql/toolkit';
import type { PlanReport } from '../../schema/explorer.js';

/** The last operation that was run here. */
export interface Run {
  readonly query: string;
  readonly at: Date;
  readonly status: number;
  /** Null where it was refused before it ran. */
  readonly plan: PlanReport | null;
}

let last: Run | null = null;
const listeners = new Set<() => void>();

export const lastRun = (): Run | null => last;

/** @returns how to stop listening */
export function onRun(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly unknown[];
  readonly extensions?: { readonly plan?: PlanReport };
}

/** Asks the graph with the session's cookie. The plan that comes with an answer is shown beside it, not in it. */
export const fetcher: Fetcher = async ({ query, variables, operationName }) => {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query, variables, operationName, extensions: { plan: true } }),
  });
  const { extensions, ...answer } = (await response.json()) as Answer;
  last = { query, at: new Date(), status: response.status, plan: extensions?.plan ?? null };
  for (const listener of listeners) listener();
  return answer;
};
