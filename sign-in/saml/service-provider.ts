import { html, type Html } from '../../http/html.js';
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

const keyDescriptor = (certificate: string): Html => html`    <md:KeyDescriptor use="signing">
      <ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>
    </md:KeyDescriptor>
`;

/**
 * SAML metadata (saml-metadata-2.0-os) as identity providers import it. It holds no secret and no fact of the tenant.
 * @param certificates of the keys that AuthnRequests are signed with, now and next: base64 of their DER
 */
export function metadataOf({ entity_id, acs_url }: ServiceProvider, certificates: readonly string[]): string {
  return html`<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entity_id}">
  <md:SPSSODescriptor AuthnRequestsSigned="true" WantAssertionsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
${certificates.map(keyDescriptor)}    <md:NameIDFormat>${NAME_ID_FORMAT}</md:NameIDFormat>
    <md:AssertionConsumerService Binding="${POST_BINDING}" Location="${acs_url}" index="0" isDefault="true"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`.toString();
}
