import type { Clock } from '../../kit/base/clock.js';
import type { Outbound } from '../../kit/outbound/outbound.js';
import { accessToken } from '../access-token.js';
import { createRestClient, type RestAnswer, type RestClient } from '../rest-client.js';
import { ConnectionRefused, type Target } from '../types.js';

/** What the collector is made of. */
export interface AzureCollectorOptions {
  readonly outbound: Pick<Outbound, 'fetch'>;
  readonly clock: Clock;
  /** Stand for Azure and its directory; for tests. */
  readonly endpoints?: { readonly management: string; readonly login: string };
  /** Milliseconds before calls are made again; for tests. */
  readonly pauses?: readonly number[];
}

const ENDPOINTS = { management: 'https://management.azure.com', login: 'https://login.microsoftonline.com' };

/** The subscription of a target and the client that asks about it, by a token of its application. @throws ConnectionRefused */
export function openAzure(options: AzureCollectorOptions, { connection, account_id }: Target) {
  const { outbound, clock, pauses, endpoints = ENDPOINTS } = options;
  if (connection.method !== 'secret')
    throw new ConnectionRefused(
      'This deployment has no identity of its own in Azure, which an application could trust: connect with a secret of an application.',
    );
  const { directory_id = '', client_id = '', client_secret = '' } = connection.values;
  const login = createRestClient({
    outbound,
    clock,
    base: endpoints.login,
    ...(pauses && { pauses }),
    timeoutMs: 20_000,
    mostBytes: 262_144,
  });
  const path = `/${encodeURIComponent(directory_id)}/oauth2/v2.0/token`;
  const headers = accessToken({
    clock,
    ask: (signal) => {
      const scope = 'https://management.azure.com/.default';
      return login.call(
        { path, method: 'POST', body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret, scope }) },
        signal,
      );
    },
    refused: (code) => `Microsoft Entra does not take the secret of the application: it answered ${code}.`,
  });
  const client = createRestClient({ outbound, clock, base: endpoints.management, headers, ...(pauses && { pauses }) });
  return { subscription: `/subscriptions/${encodeURIComponent(account_id)}`, client: refusing(client) };
}

/** A token that Azure does not take is a connection that does not let in. */
const refusing = (client: RestClient): RestClient => ({
  async call(call, signal) {
    const answer = await client.call(call, signal);
    if (answer.status === 401) throw new ConnectionRefused(`Azure does not take the application: it ${saidBy(answer)}.`);
    return answer;
  },
});

/** The code of an error of the Resource Manager. */
export function codeOf({ body }: RestAnswer): string | undefined {
  const { error } = (body ?? {}) as { error?: { code?: unknown } };
  const code = error?.code;
  return typeof code === 'string' && /^[\w.-]{1,80}$/.test(code) ? code : undefined;
}

/** What is told of an answer that is none: texts of errors name people and things. */
export const saidBy = (answer: RestAnswer): string =>
  `answered ${answer.status}${codeOf(answer) === undefined ? '' : ` (${codeOf(answer)})`}`;
