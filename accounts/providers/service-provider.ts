import type { AddressScope } from './records.js';

/** Addresses of this deployment that an identity provider or its administrator needs. */
export interface ServiceProviderAddresses {
  readonly saml: readonly { scope: AddressScope; entity_id: string; acs_url: string; metadata_url: string }[];
  readonly oauth: readonly { scope: AddressScope; redirect_uri: string }[];
  readonly saml_login_url: string;
  readonly oauth_login_url: string;
}

/**
 * Where a tenant's identity provider finds this deployment.
 * @param origin the origin that browsers know the deployment by
 */
export function serviceProviderAddresses(origin: string, tenantId: string): ServiceProviderAddresses {
  const tenant = encodeURIComponent(tenantId);
  const own = `${origin}/api/auth/saml/${tenant}`;
  const shared = `${origin}/auth/saml/metadata`;
  return {
    saml: [
      { scope: 'tenant', entity_id: `${own}/metadata/`, acs_url: `${own}/acs/`, metadata_url: `${own}/metadata/` },
      { scope: 'untenanted', entity_id: shared, acs_url: `${origin}/auth/saml/callback`, metadata_url: shared },
    ],
    oauth: [
      { scope: 'untenanted', redirect_uri: `${origin}/auth/oauth/callback` },
      { scope: 'tenant', redirect_uri: `${origin}/api/auth/oauth/${tenant}/callback` },
    ],
    saml_login_url: `${origin}/auth/saml/login?tenant_id=${tenant}`,
    oauth_login_url: `${origin}/auth/oauth/login?tenant_id=${tenant}`,
  };
}
