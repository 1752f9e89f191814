import { BucketRefused } from '../../../kit/outbound/bucket.js';
import { networkCode } from '../../../kit/outbound/network-code.js';
import { ForbiddenTarget } from '../../../kit/outbound/outbound.js';

/** A delivery that the other side did not take. The message is shown to the tenant. */
export class DeliveryFailed extends Error {
  override readonly name = 'DeliveryFailed';
}

/** A delivery whose export was set anew, or taken by another worker, in the middle: its outcome counts no more. */
export class DeliveryOvertaken extends Error {
  override readonly name = 'DeliveryOvertaken';
}

/**
 * What a tenant is told of a failure: never a body, a header or an address that a name resolved to.
 * @returns null for what is no failure of the other side
 */
export function reasonOf(error: unknown): string | null {
  if (error instanceof DeliveryFailed || error instanceof BucketRefused || error instanceof ForbiddenTarget) return error.message;
  if ((error as { name?: string }).name === 'TimeoutError') return 'there was no answer in time';
  const network = networkCode(error);
  return network ? `the connection failed (${network})` : null;
}
