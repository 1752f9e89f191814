import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SelfSigned } from './certificates.js';
import { EMAIL_FORMAT, readAuthnRequest } from './saml-idp.js';

/** The part of the package samlp that makes a response; it ships no types. */
interface Samlp {
  getSamlResponse(options: Record<string, unknown>, user: Person, callback: (error: Error | null, response?: string) => void): void;
}
interface Person {
  readonly email: string;
  readonly first: string;
  readonly last: string;
  readonly groups: readonly string[];
}

/** An identity provider of the package samlp, with a page to sign in on. */
export interface RealIdp {
  readonly entityId: string;
  readonly ssoUrl: string;
  close(): Promise<void>;
}

/** What samlp asks of a profile. */
const profileOf = (person: Person) => ({
  getClaims: () => ({ email: person.email, firstName: person.first, lastName: person.last, groups: person.groups }),
  getNameIdentifier: () => ({ nameIdentifier: person.email, nameIdentifierFormat: EMAIL_FORMAT }),
});

/** Starts the provider at `http://localhost`: to a browser another site than 127.0.0.1. Its people sign in by a click. */
export async function startRealIdp(keys: SelfSigned, person: Person): Promise<RealIdp> {
  const samlp = require('samlp') as Samlp;
  const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' });
  const server = createServer((request, response) => {
    void respond(request).then(
      (html) => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;

  async function respond({ url = '' }: IncomingMessage): Promise<string> {
    const asked = new URL(url, origin);
    if (asked.pathname === '/sso')
      return `<!doctype html><title>The organization</title><h1>The organization</h1><form action="/signed-in"><input type="hidden" name="SAMLRequest" value="${asked.searchParams.get('SAMLRequest')}"><button>Sign in as ${person.first}</button></form>`;
    if (asked.pathname !== '/signed-in') return 'Nothing is here';
    const { id, issuer, acsUrl } = readAuthnRequest(asked.href);
    const options = {
      issuer: `${origin}/idp`,
      cert: keys.certificate,
      key,
      audience: issuer,
      recipient: acsUrl,
      destination: acsUrl,
      inResponseTo: id,
      signatureAlgorithm: 'rsa-sha256',
      digestAlgorithm: 'sha256',
      signResponse: true,
      lifetimeInSeconds: 300,
      profileMapper: profileOf,
    };
    const xml = await new Promise<string>((resolve, reject) =>
      samlp.getSamlResponse(options, person, (error, made) => (error || !made ? reject(error ?? new Error('no response')) : resolve(made))),
    );
    const field = Buffer.from(xml).toString('base64');
    return `<!doctype html><title>Back</title><body onload="document.forms[0].submit()"><form method="post" action="${acsUrl}"><input type="hidden" name="SAMLResponse" value="${field}"><input type="hidden" name="RelayState" value="//evil.example"><noscript><button>Continue</button></noscript></form>`;
  }

  return {
    entityId: `${origin}/idp`,
    ssoUrl: `${origin}/sso`,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
