import type { EngineContext } from '../../../kit/engine/context.js';
import type { Violation } from '../../../kit/base/errors.js';
import { ForbiddenTarget } from '../../../kit/outbound/outbound.js';
import { seal } from '../../../kit/keys/seal.js';
import { readCertificate } from './certificates.js';
import { OAUTH_ATTRIBUTES, SAML_ATTRIBUTES, type OauthInput, type SamlInput } from './input.js';
import type { AttributeMapping, OauthSettings, SamlSettings } from '../../../accounts/providers/records.js';

type Given = { readonly [key in keyof AttributeMapping]?: readonly string[] | undefined };

const withDefaults = (given: Given | null | undefined, usual: AttributeMapping): AttributeMapping => ({
  email: given?.email ?? usual.email,
  first_name: given?.first_name ?? usual.first_name,
  last_name: given?.last_name ?? usual.last_name,
  groups: given?.groups ?? usual.groups,
});

/** The SAML settings of an input; what is wrong with its certificates goes into `violations`. */
export function samlSettings(input: SamlInput, now: Date, present: SamlSettings | null, violations: Violation[]): SamlSettings {
  const pems = input.idp_certificates.flatMap((text, index) => {
    const read = readCertificate(text, now, present?.idp_certificates ?? []);
    if ('pem' in read) return [read.pem];
    violations.push({ path: `saml.idp_certificates.${index}`, message: read.problem });
    return [];
  });
  const { enabled, idp_entity_id, idp_sso_url, service_provider, attributes } = input;
  return {
    enabled,
    idp_entity_id,
    idp_sso_url,
    idp_certificates: [...new Set(pems)],
    service_provider: service_provider ?? 'tenant',
    attributes: withDefaults(attributes, SAML_ATTRIBUTES),
  };
}

/**
 * The OAuth settings of an input; what is wrong goes into `violations`. The present secret is kept for the present issuer only: whoever
 * could point it elsewhere would be told it.
 */
export function oauthSettings(
  { auth, services: { masterKey, outbound } }: Pick<EngineContext, 'auth' | 'services'>,
  input: OauthInput,
  present: OauthSettings | null,
  violations: Violation[],
): OauthSettings {
  try {
    outbound.assertAllowed(input.issuer);
  } catch (error) {
    if (!(error instanceof ForbiddenTarget)) throw error;
    violations.push({ path: 'oauth.issuer', message: error.message });
  }
  const kept = present?.issuer === input.issuer ? present.client_secret_sealed : null;
  const given = input.client_secret;
  const sealed = given ? seal(masterKey.derive('oauth-client'), `sso:${auth.tenant_id}`, Buffer.from(given)) : kept;
  if (sealed === null) violations.push({ path: 'oauth.client_secret', message: 'is needed for a new issuer' });
  return {
    enabled: input.enabled,
    issuer: input.issuer,
    client_id: input.client_id,
    client_secret_sealed: sealed ?? '',
    allowed_domains: input.allowed_domains ?? [],
    callback: input.callback ?? 'untenanted',
    attributes: withDefaults(input.attributes, OAUTH_ATTRIBUTES),
  };
}
