import { SignJWT } from 'jose';
import type { Clock } from '../../kit/base/clock.js';
import type { Outbound } from '../../kit/outbound/outbound.js';
import { accessToken } from '../access-token.js';
import { createRestClient, type RestAnswer, type RestClient } from '../rest-client.js';
import { rsaKey } from '../rsa-key.js';
import { ConnectionRefused, type Target } from '../types.js';

/** The interfaces of Google that are asked. */
type Api = 'assets' | 'projects';
const APIS: Readonly<Record<Api, string>> = {
  assets: 'The Cloud Asset API (cloudasset.googleapis.com)',
  projects: 'The Resource Manager API (cloudresourcemanager.googleapis.com)',
};

/** What the collector is made of. */
export interface GcpCollectorOptions {
  readonly outbound: Pick<Outbound, 'fetch'>;
  readonly clock: Clock;
  /** Stand for the asset inventory, the resource manager and the token service; for tests. */
  readonly endpoints?: Readonly<Partial<Record<Api, string>> & { tokens: string }>;
  /** Milliseconds before calls are made again; for tests. */
  readonly pauses?: readonly number[];
}

const ENDPOINTS = {
  assets: 'https://cloudasset.googleapis.com',
  projects: 'https://cloudresourcemanager.googleapis.com',
  tokens: 'https://oauth2.googleapis.com',
};
/** Whom an assertion is for, wherever it is sent. */
const AUDIENCE = 'https://oauth2.googleapis.com/token';
/** The one that the interface takes (Cloud Asset API, assets.list). What a token reaches is bounded by the roles of the account, which read alone. */
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
/** Quotas of the inventory are those of a minute. */
const PAUSES = [1_000, 4_000, 15_000, 40_000, 60_000];

/** A client that asks an interface, the asset inventory when absent, by tokens of the service account. @throws ConnectionRefused */
export function openGcp(options: GcpCollectorOptions, { connection }: Target, api: Api = 'assets'): RestClient {
  const { outbound, clock, endpoints = ENDPOINTS, pauses = PAUSES } = options;
  if (connection.method !== 'secret')
    throw new ConnectionRefused(
      'This deployment has no identity of its own that a workload identity pool could trust: connect with a key of a service account.',
    );
  const { service_account_email = '', private_key = '', private_key_id = '' } = connection.values;
  const key = rsaKey(
    private_key,
    'The private key of the service account',
    'The private key is not one of a service account: those are RSA keys.',
  );
  const tokens = createRestClient({ outbound, clock, base: endpoints.tokens, pauses, timeoutMs: 20_000, mostBytes: 262_144 });
  const headers = accessToken({
    clock,
    ask: async (signal) => {
      const now = Math.floor(clock.now().getTime() / 1_000);
      const assertion = await new SignJWT({ scope: SCOPE })
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: private_key_id })
        .setIssuer(service_account_email)
        .setAudience(AUDIENCE)
        .setIssuedAt(now)
        .setExpirationTime(now + 3_600)
        .sign(key);
      const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
      return tokens.call({ path: '/token', method: 'POST', body }, signal);
    },
    refused: (code) => `Google Cloud does not take the key of the service account: it answered ${code}.`,
  });
  const client = createRestClient({ outbound, clock, base: endpoints[api] ?? ENDPOINTS[api], headers, pauses });
  return {
    async call(call, signal) {
      const answer = await client.call(call, signal);
      if (answer.status === 401) throw new ConnectionRefused('Google Cloud does not take the token of the service account.');
      const reason = reasonOf(answer);
      if (reason === 'ACCESS_TOKEN_SCOPE_INSUFFICIENT')
        throw new ConnectionRefused(`${APIS[api]} does not take a token that is good for reading alone.`);
      if (reason === 'SERVICE_DISABLED') throw new ConnectionRefused(`${APIS[api]} is not enabled in the project of the service account.`);
      return answer;
    },
  };
}

interface GoogleError {
  readonly status?: unknown;
  readonly details?: readonly { readonly reason?: unknown }[];
}
const errorOf = ({ body }: RestAnswer): GoogleError => ((body ?? {}) as { error?: GoogleError }).error ?? {};

function reasonOf(answer: RestAnswer): unknown {
  const { details } = errorOf(answer);
  return answer.ok || !Array.isArray(details) ? undefined : details.find(({ reason }) => typeof reason === 'string')?.reason;
}

/** What is told of an answer that is none: texts of errors name projects and people. */
export function saidBy(answer: RestAnswer): string {
  const { status } = errorOf(answer);
  return `answered ${answer.status}${typeof status === 'string' && /^[A-Z_]{1,40}$/.test(status) ? ` (${status})` : ''}`;
}
