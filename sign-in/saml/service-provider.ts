import { escapeHtml } from '../../http/page.js';
import { serviceProviderAddresses } from '../../accounts/providers/service-provider.js';
import type { AddressScope } from '../../accounts/providers/records.js';

/** How the platform shows itself to an identity provider. */
export interface ServiceProvider {
  /** The address of its metadata. */
  readonly entity_id: string;
  /** Where the browser posts the response. */
  readonly acs_url: string;
}

export const NAME_ID_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
const POST_BINDING = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';

/** @param origin of the deployment, as browsers know it */
export const serviceProvider = (origin: string, tenantId: string, scope: AddressScope): ServiceProvider =>
  serviceProviderAddresses(origin, tenantId).saml.find((addresses) => addresses.scope === scope)!;

/** SAML metadata (saml-metadata-2.0-os) as identity providers import it. It holds no secret and no fact of the tenant. */
export function metadataOf({ entity_id, acs_url }: ServiceProvider): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${escapeHtml(entity_id)}">
  <md:SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <md:NameIDFormat>${NAME_ID_FORMAT}</md:NameIDFormat>
    <md:AssertionConsumerService Binding="${POST_BINDING}" Location="${escapeHtml(acs_url)}" index="0" isDefault="true"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`;
}
