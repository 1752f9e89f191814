/** What of a connected account is scanned; an empty list narrows nothing. */
export interface AccountPart {
  readonly account_id: string;
  readonly regions: readonly string[];
  readonly services: readonly string[];
}

/** The account cannot be asked; the message is told to people. */
export class AccountRefused extends Error {
  override readonly name = 'AccountRefused';
}

/** What an account answers. */
export interface Collected {
  /** Whether nothing narrows what is asked for. */
  readonly isWhole: boolean;
  /** A report of the format `cloud_api_responses`, line by line. Throws AccountRefused, or the reason of the signal. */
  readonly lines: AsyncIterable<string>;
}
