import { createHash } from 'node:crypto';
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  type ClientAuth,
  type Configuration,
  type CustomFetch,
} from 'openid-client';
import { readBounded } from '../../kit/outbound/bounded-body.js';
import { PalisadeError } from '../../kit/base/errors.js';
import { unseal } from '../../kit/keys/seal.js';
import type { OauthSettings } from '../../accounts/providers/records.js';
import { BoundedCache } from '../../kit/base/bounded-cache.js';
import type { AuthParts } from '../parts.js';
import { SignInRefused } from '../sso/refusal.js';

/** Milliseconds of one call to a provider, and for which its metadata and keys are believed. */
const CALL = 8_000;
const METADATA_LIFE = 10 * 60_000;
/** Providers whose metadata a process remembers. */
const REMEMBERED = 200;
/** Bytes of the largest answer; key sets are the longest. */
const ANSWER_LIMIT = 1_048_576;

const away = () => new PalisadeError('UPSTREAM_UNAVAILABLE', 'The identity provider does not answer; try again later');

/** The error of ours that a failure of the library was caused by; null when the provider answered, but wrongly. */
export function outageOf(error: unknown): PalisadeError | null {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++)
    if (cause instanceof PalisadeError) return cause;
  return null;
}

/** The library's way out: through the guard, with an end in time and length. A provider that is down is distinguished from one that answers wrongly. */
function guardedFetch({ outbound, logger }: AuthParts): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    try {
      const response = await outbound.fetch(url, {
        method,
        headers,
        body: body instanceof URLSearchParams ? body.toString() : (body as string | undefined),
        signal,
        timeoutMs: CALL,
      });
      const bytes = await readBounded(response.body as AsyncIterable<Uint8Array> | null, ANSWER_LIMIT);
      if (response.status >= 500) throw new Error(`status ${response.status}`);
      return new Response(response.status === 204 || response.status === 304 ? null : new Uint8Array(bytes), {
        status: response.status,
        headers: [...response.headers],
      });
    } catch (error) {
      logger.warn({ target: URL.parse(url)?.origin, reason: (error as Error).message }, 'an identity provider does not answer');
      throw away();
    }
  };
}

/** Shows the secret in the way that the provider takes; HTTP Basic where it does not say (RFC 8414, section 2). */
function showSecret(secret: string): ClientAuth {
  const [post, basic] = [ClientSecretPost(secret), ClientSecretBasic(secret)];
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const way = methods.includes('client_secret_basic') || !methods.includes('client_secret_post') ? basic : post;
    way(server, client, body, headers);
  };
}

const sameAddress = (one: string, other: string): boolean => URL.parse(one)?.href === URL.parse(other)?.href;

/** What is known of tenants' OpenID providers. */
export interface OpenIdProviders {
  /**
   * The provider's metadata and this deployment's registration there, ready for the library. ID tokens are accepted with a signature by
   * the provider's own keys only.
   * @throws PalisadeError UPSTREAM_UNAVAILABLE when it cannot be reached; SignInRefused when its metadata cannot be used
   */
  open(tenantId: string, settings: OauthSettings): Promise<Configuration>;
}

/** Opens OpenID providers and remembers their metadata for a short time. */
export function createOpenIdProviders(parts: AuthParts): OpenIdProviders {
  const { masterKey, outbound, clock } = parts;
  const known = new BoundedCache<{ configuration: Configuration; until: number }>(REMEMBERED);

  const read = async (tenantId: string, { issuer, client_id, client_secret_sealed }: OauthSettings): Promise<Configuration> => {
    const secret = unseal(masterKey.derive('oauth-client'), `sso:${tenantId}`, client_secret_sealed).toString();
    const configuration = await discovery(new URL(issuer), client_id, {}, showSecret(secret), {
      [customFetch]: guardedFetch(parts),
      // whether plain http may be used is the guard's decision, for each address that is called
      execute: [allowInsecureRequests, enableNonRepudiationChecks],
      timeout: CALL / 1000,
    });
    const { issuer: stated, authorization_endpoint, token_endpoint, jwks_uri } = configuration.serverMetadata();
    // The library lets the shared issuers of some providers through, under which every customer of theirs could sign in.
    if (!sameAddress(stated, issuer) || !authorization_endpoint || !token_endpoint || !jwks_uri)
      throw new Error('the metadata is not that of the issuer');
    outbound.assertAllowed(authorization_endpoint);
    return configuration;
  };

  return {
    async open(tenantId, settings) {
      const { issuer, client_id, client_secret_sealed } = settings;
      const key = createHash('sha256')
        .update(JSON.stringify([tenantId, issuer, client_id, client_secret_sealed]))
        .digest('base64url');
      const now = clock.now().getTime();
      const hit = known.get(key);
      if (hit && now < hit.until) return hit.configuration;
      try {
        const configuration = await read(tenantId, settings);
        known.set(key, { configuration, until: now + METADATA_LIFE });
        return configuration;
      } catch (error) {
        parts.logger.warn({ tenant: tenantId, reason: (error as Error).message }, 'the metadata of an identity provider cannot be used');
        throw outageOf(error) ?? new SignInRefused('BAD_REQUEST', 'The metadata of the identity provider cannot be used', 'metadata');
      }
    },
  };
}
