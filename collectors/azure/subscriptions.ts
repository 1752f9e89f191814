import { pagesOf } from '../pages.js';
import { CallFailed, type RestClient } from '../rest-client.js';
import { ConnectionRefused, type OrganizationAccount } from '../types.js';
import { saidBy } from './client.js';

const FIRST = '/subscriptions?api-version=2022-12-01';

/** The subscriptions of the directory that the application may read (Azure Resource Manager, Subscriptions - List). */
export async function* subscriptionsOf(client: RestClient, signal: AbortSignal): AsyncGenerator<OrganizationAccount> {
  const pages = pagesOf(
    (next) => client.call({ path: next ?? FIRST }, signal),
    (page) => page['nextLink'],
  );
  try {
    for (;;) {
      const { done, value } = await pages.next();
      if (done) {
        if (value) throw new ConnectionRefused(`Azure does not list subscriptions: it ${saidBy(value.answer)}.`);
        return;
      }
      const listed = Array.isArray(value['value']) ? (value['value'] as Record<string, unknown>[]) : [];
      for (const { subscriptionId, displayName, state } of listed)
        if (typeof subscriptionId === 'string')
          yield {
            account_id: subscriptionId.toLowerCase(),
            name: typeof displayName === 'string' ? displayName : subscriptionId,
            isActive: state === 'Enabled' || state === 'Warned',
          };
    }
  } catch (error) {
    throw error instanceof CallFailed ? new ConnectionRefused(error.message) : error;
  }
}
