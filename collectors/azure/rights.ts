import type { RestClient } from '../rest-client.js';
import { pagesOf } from '../pages.js';
import { ConnectionRefused } from '../types.js';
import { saidBy } from './client.js';

/** Takes the list of what one may do. */
export const RIGHTS = 'Microsoft.Authorization/permissions/read';

/** Said of a connection that lets in, and no further. */
export const NOTHING = 'The application may read nothing of the subscription: it needs the role of the template there.';

/** Tells whether an action is granted at the subscription; or why that is not told. */
export type Rights = { readonly mayDo: (action: string) => boolean } | { readonly untold: string; readonly isDenied: boolean };

/**
 * What the connection may do at the subscription: the graph leaves out in silence what may not be read, so that this alone tells what is missing.
 * @throws ConnectionRefused when the subscription is not seen at all
 */
export async function rightsAt(client: RestClient, subscription: string, signal: AbortSignal): Promise<Rights> {
  const there = await client.call({ path: `${subscription}?api-version=2022-12-01` }, signal);
  if (there.status === 404)
    throw new ConnectionRefused('The application sees no such subscription: it needs the role of the template at this subscription.');
  const path = `${subscription}/providers/Microsoft.Authorization/permissions?api-version=2022-04-01`;
  const granted: Grant[] = [];
  const pages = pagesOf(
    (next) => client.call({ path: next ?? path }, signal),
    (page) => page['nextLink'],
  );
  for (;;) {
    const { done, value } = await pages.next();
    if (!done) granted.push(...grantsOf(value['value']));
    else if (value === undefined) break;
    else if (value.answer.status !== 403) return { untold: `The list of permissions ${saidBy(value.answer)}.`, isDenied: false };
    else if (there.status === 403) throw new ConnectionRefused(NOTHING);
    else return { untold: `The permission ${RIGHTS} is missing.`, isDenied: true };
  }
  return {
    mayDo: (action) => granted.some(({ actions, not }) => actions.some((one) => one.test(action)) && !not.some((one) => one.test(action))),
  };
}

interface Grant {
  readonly actions: readonly RegExp[];
  readonly not: readonly RegExp[];
}

const grantsOf = (value: unknown): Grant[] =>
  (Array.isArray(value) ? (value as { actions?: unknown; notActions?: unknown }[]) : []).map(({ actions, notActions }) => ({
    actions: patterns(actions),
    not: patterns(notActions),
  }));

/** A pattern such as `Microsoft.Storage/storageAccounts/*`, whatever the case; a star stands for any signs. */
const patterns = (value: unknown): RegExp[] =>
  (Array.isArray(value) ? (value as unknown[]) : [])
    .filter((text): text is string => typeof text === 'string' && text.length < 500)
    .map((text) => new RegExp(`^${text.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll(/\*+/g, '.*')}$`, 'i'));
