import { BodyTooLong, readBounded } from '../../../kit/outbound/bounded-body.js';
import { ForbiddenTarget, type Outbound } from '../../../kit/outbound/outbound.js';
import { ChannelError } from './channel-error.js';

/** Bytes read of an answer. */
const MOST = 262_144;
/** Milliseconds that one call may take: several must fit into the budget of an engine's call. */
const TIMEOUT_MS = 4_000;

export interface TargetAnswer {
  status: number;
  text: string;
}

type Init = NonNullable<Parameters<Outbound['fetch']>[1]>;

/**
 * Calls an address that a tenant has entered, and reads a bounded answer.
 * @throws ChannelError when it may not be called, cannot be reached or says too much
 */
export async function callTarget(outbound: Outbound, url: string, init: Init): Promise<TargetAnswer> {
  try {
    const response = await outbound.fetch(url, { timeoutMs: TIMEOUT_MS, ...init });
    return { status: response.status, text: (await readBounded(response.body, MOST)).toString('utf8') };
  } catch (error) {
    if (error instanceof BodyTooLong || error instanceof ForbiddenTarget) throw new ChannelError(error.message, false);
    throw new ChannelError('the other side cannot be reached', true);
  }
}

/** Text of the other side as it may be shown: one short line. */
export const shownText = (text: string): string =>
  text
    .replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, 200);
