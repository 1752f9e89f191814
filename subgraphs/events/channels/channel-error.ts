/** A message or a ticket did not get through. The text may be shown to the tenant: it holds no secret and no address. */
export class ChannelError extends Error {
  override readonly name: string = 'ChannelError';

  constructor(
    message: string,
    /** Whether a later try may succeed. */
    readonly retry: boolean,
  ) {
    super(message);
  }
}

/** Whether an answer other than success is for now only. */
export const isForNow = (status: number): boolean => status >= 500 || status === 408 || status === 429;

/** What an answer other than success means: the other side's own fault is tried again, a refusal is not. */
export const refusal = (status: number, answer: string): ChannelError =>
  new ChannelError(`the other side answered ${status}${answer && `: ${answer}`}`, isForNow(status));
