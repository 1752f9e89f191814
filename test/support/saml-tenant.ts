import { randomUUID } from 'node:crypto';
import { ssoSettings, type SsoSettingsRow } from '../../accounts/providers/records.js';
import { selfSigned, type SelfSigned } from './certificates.js';
import { verified } from './domains.js';
import { encode, honestFacts, readAuthnRequest, signedResponse, type AuthnRequest, type ResponseFacts } from './saml-idp.js';
import type { TestTenant, World } from './world.js';

/** RSA keys take a while to make: one pair for all tenants of a file. */
let shared: SelfSigned | undefined;
export const idpKeys = (): SelfSigned => (shared ??= selfSigned());

const anyAddress = () => `10.${[0, 0, 0].map(() => Math.floor(Math.random() * 250)).join('.')}`;

/** A browser as far as SAML needs one: it keeps cookies of one deployment. `base` is the process that answers it next. */
export class Browser {
  private readonly jar = new Map<string, string>();
  private readonly address = anyAddress();

  constructor(public base: string) {}

  /** The session's cookie; undefined while nobody is signed in. */
  get session(): string | undefined {
    return this.jar.get('access_token');
  }

  take(cookie: string): this {
    const [name, value] = cookie.split('=', 2);
    this.jar.set(name!, value!);
    return this;
  }

  async get(path: string): Promise<Response> {
    return this.keep(
      await fetch(new URL(path, this.base), { redirect: 'manual', headers: { cookie: this.cookies(), accept: 'text/html' } }),
    );
  }

  /** A form posted from another site: browsers send no SameSite=Lax cookie with it. */
  postFromElsewhere(url: string, fields: Record<string, string>): Promise<Response> {
    return this.post(url, fields, { origin: 'https://idp.test', 'sec-fetch-site': 'cross-site' });
  }

  /** A form posted from a provider on the same site, with cookies. */
  postFromSameSite(url: string, fields: Record<string, string>): Promise<Response> {
    return this.post(url, fields, { origin: 'https://idp.palisade.test', 'sec-fetch-site': 'same-site', cookie: this.cookies() });
  }

  private async post(url: string, fields: Record<string, string>, headers: Record<string, string>): Promise<Response> {
    const init = { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) } as const;
    return this.keep(await fetch(this.at(url), { ...init, headers: { ...headers, 'x-forwarded-for': this.address } }));
  }

  private at(target: string): URL {
    const { pathname, search } = new URL(target, this.base);
    return new URL(`${pathname}${search}`, this.base);
  }

  private cookies(): string {
    return [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  private keep(response: Response): Response {
    for (const line of response.headers.getSetCookie()) this.take(line.split(';')[0]!);
    return response;
  }
}

/** A tenant with a SAML identity provider, and a domain that its organization has verified. */
export interface SamlTenant extends TestTenant {
  readonly id: string;
  readonly provider: string;
  readonly keys: SelfSigned;
  readonly domain: string;
  /** Begins a sign-in. */
  begin(browser: Browser, query?: Record<string, string>): Promise<AuthnRequest>;
  /** An honest answer with `changes`, signed as providers do by default: the assertion. */
  answer(request: AuthnRequest, changes?: Partial<ResponseFacts>): string;
  facts(request: AuthnRequest, changes?: Partial<ResponseFacts>): ResponseFacts;
  settings(): Promise<SsoSettingsRow>;
}

/** @param changes to the stored settings, whose defaults let everybody in as a viewer */
export async function samlTenant(
  world: World,
  changes: Partial<SsoSettingsRow> = {},
  options: { keys?: SelfSigned; service_provider?: 'tenant' | 'untenanted'; enabled?: boolean; certificates?: string[] } = {},
): Promise<SamlTenant> {
  const made = await world.tenant();
  const id = made.tenant._id;
  const keys = options.keys ?? idpKeys();
  const provider = `https://idp.test/${id}`;
  const domain = `d${randomUUID().slice(0, 8)}.example`;
  await verified(world, made.tenant, domain);
  const rows = world.database.tenant(id).collection(ssoSettings);
  await rows.insert({
    _id: id,
    tenant_id: id,
    saml: {
      enabled: options.enabled ?? true,
      idp_entity_id: provider,
      idp_sso_url: 'https://idp.test/sso?from=palisade',
      idp_certificates: options.certificates ?? [keys.certificate],
      service_provider: options.service_provider ?? 'tenant',
      attributes: { email: ['email'], first_name: ['firstName'], last_name: ['lastName'], groups: ['groups', 'memberOf'] },
    },
    oauth: null,
    group_mappings: [],
    default_role: 'viewer',
    set_by_org_admin: true,
    verified_at: null,
    last_test: null,
    updated_at: new Date(),
    ...changes,
  });
  const facts = (request: AuthnRequest, forged: Partial<ResponseFacts> = {}) => honestFacts(request, provider, `ada@${domain}`, forged);
  return {
    ...made,
    id,
    provider,
    keys,
    domain,
    facts,
    answer: (request, forged) => signedResponse(facts(request, forged), 'assertion', { key: keys.privateKey }),
    settings: async () => (await rows.findOne({}))!,
    async begin(browser, query = {}) {
      const response = await browser.get(`/auth/saml/login?${new URLSearchParams({ tenant_id: id, ...query }).toString()}`);
      const location = response.headers.get('location');
      if (response.status !== 302 || !location) throw new Error(`no redirect to the provider: ${response.status} ${await response.text()}`);
      return readAuthnRequest(location);
    },
  };
}

/** Posts a response and follows to the end. @returns the answer of the post, and of the page that fetches the session where it got there */
export async function post(browser: Browser, acsUrl: string, xml: string, fields: Record<string, string> = {}) {
  const posted = await browser.postFromElsewhere(acsUrl, { SAMLResponse: encode(xml), ...fields });
  const next = posted.status === 302 ? await browser.get(posted.headers.get('location')!) : null;
  return { posted, finished: next };
}
