import type { Provider } from '../../schema/model.js';
import type { TransactionOf } from '../store/query.js';
import type { EngineContext } from './context.js';

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

/** How connected accounts are scanned. Credentials stay with the engine that keeps them. */
export interface AccountScans {
  /**
   * The provider of an account that can be scanned.
   * @throws PalisadeError VALIDATION_ERROR when the tenant has none such connected, nobody can ask it, or the part lies outside of what it is scanned for
   */
  scannable(context: EngineContext, part: AccountPart): Promise<Provider>;
  /**
   * Begins to ask an account for all that there is in a part of it, with the rights that the caller has now.
   * @throws AccountRefused; JobFailure when the caller may not scan any more
   */
  collect(context: EngineContext, part: AccountPart, signal: AbortSignal): Promise<Collected>;
  /** Takes note that a run has asked it. */
  scanned(context: EngineContext, accountId: string, at: Date, transaction: TransactionOf): Promise<void>;
}
