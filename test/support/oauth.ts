import { Browser, type Page } from './browser.js';
import { verified } from './domains.js';
import { startHostileProvider, type HostileProvider } from './hostile-provider.js';
import { startOpenIdProvider, type RunningProvider } from './openid-provider.js';
import { openOwnWorld } from './own-world.js';
import { type Client, type ServersWorld, type TestTenant } from './world.js';

export const CLIENT = { client_id: 'palisade-test', client_secret: 'the client secret of the tests' };

/** Two servers over one store, a real OpenID provider, and one that lies. */
export interface OauthWorld {
  readonly own: ServersWorld;
  readonly honest: RunningProvider;
  readonly hostile: HostileProvider;
  close(): Promise<void>;
}

/** @param given two servers that may call loopback; two of the file's own when absent */
export async function openOauthWorld(given?: ServersWorld): Promise<OauthWorld> {
  const own = given ?? (await openOwnWorld({ servers: 2, env: { OUTBOUND_ALLOW: '127.0.0.0/8' } }));
  const hostile = await startHostileProvider(CLIENT);
  const redirect_uris = own.servers.map(({ url }) => `${url}/auth/oauth/callback`);
  const honest = await startOpenIdProvider({ ...CLIENT, redirect_uris });
  return {
    own,
    honest,
    hostile,
    async close() {
      await Promise.all([honest.stop(), hostile.stop()]);
      await own.close();
    },
  };
}

/** A tenant that signs in through `issuer`, whose organization has example.com and the allowed domains. @param more members of the settings beside the provider */
export async function tenantWith(
  own: ServersWorld,
  issuer: string,
  more: Record<string, unknown> = {},
  oauth: Record<string, unknown> = {},
): Promise<{ tenant: TestTenant; admin: Client; id: string }> {
  const tenant = await own.tenant();
  const admin = await tenant.as('org_admin');
  // one organization has a domain at a time: the latest
  for (const domain of ['example.com', ...((oauth['allowed_domains'] ?? []) as string[])])
    await verified(own, tenant.tenant, domain.toLowerCase());
  const body = { oauth: { enabled: true, issuer, ...CLIENT, ...oauth }, default_role: 'viewer', ...more };
  const answer = await admin.call('/api/v1/settings/sso', { method: 'PUT', body });
  if (answer.status !== 200) throw new Error(answer.text);
  return { tenant, admin, id: tenant.tenant._id };
}

/** Begins a sign-in and goes as far as the address that the provider sends the browser back to. */
export async function arrive(browser: Browser, url: string, query: Record<string, string>): Promise<string> {
  const page = await browser.go(`${url}/auth/oauth/login?${new URLSearchParams(query).toString()}`, `${url}/auth/oauth/callback?`);
  if (page.target === null) throw new Error(`the sign-in did not come back: ${page.status} ${page.url} ${page.text.slice(0, 500)}`);
  return page.target;
}

/** A whole sign-in in a browser of its own. */
export async function signIn(url: string, query: Record<string, string>): Promise<{ browser: Browser; page: Page }> {
  const browser = new Browser();
  return { browser, page: await browser.ask(await arrive(browser, url, query)) };
}

/** Who the browser is signed in as; the status where nobody is. */
export async function whoIs(browser: Browser, url: string): Promise<Record<string, unknown> | number> {
  const page = await browser.ask(`${url}/api/v1/users/me`, { headers: { accept: 'application/json' } });
  return page.status === 200 ? (JSON.parse(page.text) as Record<string, unknown>) : page.status;
}
