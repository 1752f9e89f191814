import { setTimeout as sleep } from 'node:timers/promises';
import { BodyTooLong } from '../../kit/outbound/bounded-body.js';
import { ForbiddenTarget } from '../../kit/outbound/outbound.js';
import type { Patience } from '../patience.js';
import { PAUSES, THROTTLED } from './client.js';
import { BAD_KEY, DENIED } from './key.js';
import type { SdkClient } from './lines.js';
import { asPrinted, type Printed } from './printed.js';

/** What became of a call: its answer, an error that says that there is none, or why there is no answer. */
export type Asked =
  | { readonly answer: Printed }
  | { readonly none: string }
  | { readonly denied: string }
  | { readonly badKey: string }
  /** The address of the service has no such name: it may not be in the region. */
  | { readonly nowhere: string }
  | { readonly failed: string };

/** Commands of the SDK by their names. */
export type SdkModule = Readonly<Record<string, new (input: unknown) => unknown>>;

/** Codes by which AWS answers that a thing has none of what was asked for (a bucket without a policy): rules go by that. What is refused or fails is told as not answered. */
export const NONE = /^NoSuch|NotFound|NotEnabled|DoesNotExist/;

/** An error as the SDK throws it. */
interface SdkError {
  readonly name?: string;
  readonly Code?: unknown;
  readonly Error?: { readonly Code?: unknown };
  readonly code?: unknown;
  readonly cause?: { readonly code?: unknown };
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** The code that AWS wrote, or the name that the SDK gave the error. */
function codeOf(error: SdkError): string {
  const written = [error.Code, error.Error?.Code, error.name].find((code) => typeof code === 'string' && code !== '');
  // what is no answer of AWS at all
  if (written === undefined || /^(Error|SyntaxError|TypeError)$/.test(String(written))) return `HTTP ${error.$metadata?.httpStatusCode}`;
  return String(written).slice(0, 100);
}

/** When a call is made again. */
export interface Tries {
  /** Milliseconds before each further try, half of which is left to chance; of what is throttled the last one is repeated. */
  readonly pauses?: readonly number[] | undefined;
  /** How long a call is made again that is throttled: one for all that is asked of the service in the region. */
  readonly patience: Patience;
}

/**
 * Makes a call, again where AWS asks for patience or the network fails.
 * @param none codes that say that there is none, beside the usual ones
 * @throws the reason of the signal; ForbiddenTarget
 */
export async function ask(
  client: SdkClient,
  commands: SdkModule,
  { call, none = [], without }: { call: string; none?: readonly string[]; without?: readonly string[] },
  input: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
  { pauses = PAUSES, patience }: Tries,
): Promise<Asked> {
  const Command = commands[`${call}Command`];
  if (Command === undefined) throw new Error(`aws: the SDK knows no ${call}`);
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted();
    try {
      const answer = await client.send(new Command({ ...input }), { abortSignal: signal });
      patience.answered();
      return { answer: asPrinted(answer, without) };
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof ForbiddenTarget) throw thrown;
      const asked = whatOf(thrown as SdkError, none);
      const isThrottled = asked.again === 'throttled';
      if (!asked.again) patience.answered();
      const pause = pauses[attempt] ?? (isThrottled ? pauses.at(-1) : undefined);
      if (isThrottled && !patience.lasts(pause ?? 0)) return { failed: `${patience.told} (${codeOf(thrown as SdkError)})` };
      if (!asked.again || pause === undefined) return asked.as;
      await sleep(pause / 2 + (Math.random() * pause) / 2, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

/** What an error says, and whether the call may be made again. No text of an error is told: it may quote what was sent. */
function whatOf(error: SdkError, none: readonly string[]): { as: Asked; again: boolean | 'throttled' } {
  const status = error.$metadata?.httpStatusCode;
  if (error instanceof BodyTooLong) return { as: { failed: 'AWS answers with more than is read of an answer' }, again: false };
  const code = codeOf(error);
  if (status === undefined) {
    const reason = typeof error.cause?.code === 'string' ? error.cause.code : code;
    const said = `AWS could not be reached (${reason})`;
    return reason === 'ENOTFOUND' ? { as: { nowhere: said }, again: false } : { as: { failed: said }, again: true };
  }
  if (status < 300) return { as: { failed: 'AWS answered what cannot be read' }, again: false };
  const said = `AWS answered ${code}`;
  if (THROTTLED.test(code) || status === 429) return { as: { failed: said }, again: 'throttled' };
  if (status >= 500) return { as: { failed: said }, again: true };
  if (BAD_KEY.test(code)) return { as: { badKey: said }, again: false };
  if (none.includes(code) || NONE.test(code)) return { as: { none: code }, again: false };
  if (DENIED.test(code) || status === 403) return { as: { denied: said }, again: false };
  return { as: { failed: said }, again: false };
}
