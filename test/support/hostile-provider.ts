import { createHmac, generateKeyPairSync, randomUUID, sign, type JsonWebKey, type KeyObject } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { RunningProvider } from './openid-provider.js';

type Json = Record<string, unknown>;

/** What a provider does otherwise than it should; nothing of it is an honest provider. */
export interface Mischief {
  /** Changes the claims of the ID token. */
  claims?: (claims: Json) => Json;
  /** Changes the header of the ID token. */
  header?: Json;
  /** How the ID token is signed, instead of with the key that /jwks shows. */
  signature?: 'none' | 'other key' | 'client secret' | 'public key' | 'stripped';
  /** Changes the metadata. */
  metadata?: Json;
  /** Changes what comes back to the redirect URI. */
  answer?: (answer: URLSearchParams) => void;
  /** What the endpoint answers instead: a status, silence, or too much. */
  token?: number | 'silence' | 'flood' | 'redirect';
  userInfo?: Json;
  /** Leaves the ID token out of the answer of the token endpoint. */
  withoutIdToken?: boolean;
}

export interface HostileProvider extends RunningProvider {
  /** Set before a sign-in; the next one is honest again after `reset`. */
  mischief: Mischief;
  /** Bodies that the token endpoint was sent. */
  readonly asked: URLSearchParams[];
}

const encode = (value: unknown): string => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** An OpenID provider of our own, which knows how to lie. */
export async function startHostileProvider(client: { client_id: string; client_secret: string }): Promise<HostileProvider> {
  const pair = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
  const [own, other] = [pair(), pair()];
  const begun = new Map<string, { nonce: string; email: string }>();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: HostileProvider = {
    issuer,
    mischief: {},
    asked: [],
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  const idToken = (code: string): string => {
    const { signature, claims = (same: Json) => same, header } = provider.mischief;
    const { nonce, email } = begun.get(code)!;
    const now = Math.floor(Date.now() / 1000);
    const payload = claims({
      iss: issuer,
      aud: client.client_id,
      sub: `sub-of-${email.toLowerCase()}`,
      iat: now,
      exp: now + 300,
      nonce,
      email,
      email_verified: true,
      name: 'Grace Hopper',
      groups: ['everyone'],
      amr: ['pwd', 'otp'],
    });
    const alg =
      signature === 'none' || signature === 'stripped'
        ? 'none'
        : signature?.startsWith('client') || signature === 'public key'
          ? 'HS256'
          : 'RS256';
    const input = `${encode({ alg, kid: 'one', typ: 'JWT', ...header })}.${encode(payload)}`;
    if (signature === 'stripped') return input;
    if (signature === 'none') return `${input}.`;
    if (alg === 'HS256') {
      const secret = signature === 'public key' ? own.publicKey.export({ type: 'spki', format: 'pem' }) : client.client_secret;
      return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
    }
    const key: KeyObject = signature === 'other key' ? other.privateKey : own.privateKey;
    return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
  };

  const send = (response: ServerResponse, body: unknown, status = 200) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };

  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    userinfo_endpoint: `${issuer}/userinfo`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    ...provider.mischief.metadata,
  });

  server.on('request', async (request, response) => {
    const url = new URL(request.url!, issuer);
    const { mischief } = provider;
    if (url.pathname === '/.well-known/openid-configuration') return send(response, metadata());
    if (url.pathname === '/jwks') {
      const jwk: JsonWebKey = own.publicKey.export({ format: 'jwk' });
      return send(response, { keys: [{ ...jwk, kid: 'one', use: 'sig' }] });
    }
    if (url.pathname === '/authorize') {
      const code = randomUUID();
      begun.set(code, { nonce: url.searchParams.get('nonce')!, email: url.searchParams.get('login_hint') ?? 'grace@example.com' });
      const answer = new URLSearchParams({ code, state: url.searchParams.get('state')! });
      mischief.answer?.(answer);
      response.writeHead(302, { location: `${url.searchParams.get('redirect_uri')}?${answer.toString()}` });
      return response.end();
    }
    if (url.pathname === '/userinfo') return send(response, mischief.userInfo ?? {});
    if (url.pathname !== '/token') return send(response, {}, 404);
    const body = new URLSearchParams(await text(request));
    provider.asked.push(body);
    if (mischief.token === 'silence') return;
    if (mischief.token === 'redirect') {
      response.writeHead(307, { location: `${issuer}/elsewhere` });
      return response.end();
    }
    if (mischief.token === 'flood') return send(response, { access_token: 'x'.repeat(3_000_000), token_type: 'Bearer' });
    if (typeof mischief.token === 'number') return send(response, { error: 'server_error' }, mischief.token);
    const id_token = mischief.withoutIdToken ? {} : { id_token: idToken(body.get('code')!) };
    return send(response, { access_token: 'opaque', token_type: 'Bearer', expires_in: 60, ...id_token });
  });
  return provider;
}
