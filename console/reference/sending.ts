import type { Call } from './call.js';

/** What came back of a call. */
export interface Came {
  readonly status: number;
  readonly statusText: string;
  /** Milliseconds until all of it was there. */
  readonly took: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
}

/** Characters of an answer that are shown: more would make the page slow, and nobody reads them. */
const MOST_SHOWN = 200_000;

function shown(text: string, type: string): string {
  const whole = /json/.test(type) ? pretty(text) : text;
  return whole.length > MOST_SHOWN ? `${whole.slice(0, MOST_SHOWN)}\n… ${whole.length - MOST_SHOWN} more characters` : whole;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/**
 * Sends a call to this server, with the session of who reads the page.
 * @param file in the place of the call's body
 * @throws TypeError where the server is not reached
 */
export async function sendCall({ method, path, headers, body }: Call, file: File | null): Promise<Came> {
  const began = performance.now();
  const answer = await fetch(path, { method, headers, body: file ?? body, redirect: 'manual' });
  const text = await answer.text();
  return {
    status: answer.status,
    statusText: answer.type === 'opaqueredirect' ? 'A redirect, which is not followed here' : answer.statusText,
    took: Math.round(performance.now() - began),
    headers: [...answer.headers],
    text: shown(text, answer.headers.get('content-type') ?? ''),
  };
}
