import { asObject, member, objectAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import { isLocal } from './addresses.js';
import type { ApiCheck, Fault } from './check.js';
import type { ApiDescription, Security } from './document.js';
import { pointerPart } from './references.js';
import type { SecurityScheme } from './schemes.js';

const isPlain = (address: string): boolean => /^(?:http|ws):\/\//i.test(address);

/** Faults of the schemes of a description for which something holds. */
const schemesThat =
  (holds: (scheme: SecurityScheme) => boolean, detail: (scheme: SecurityScheme) => string) =>
  ({ schemes }: ApiDescription): Fault[] =>
    [...schemes.values()].filter(holds).map((scheme) => ({ pointer: scheme.pointer, detail: detail(scheme) }));

/** What a list of security requirements says of schemes and scopes that there are not. */
export function securityFaults(security: Security, pointer: string, { schemes }: ApiDescription): { schemes: Fault[]; scopes: Fault[] } {
  const faults: { schemes: Fault[]; scopes: Fault[] } = { schemes: [], scopes: [] };
  for (const [n, one] of security.entries())
    for (const [name, asked] of Object.entries(one)) {
      const at = `${pointer}/${n}/${pointerPart(name)}`;
      const scheme = schemes.get(name);
      if (scheme === undefined) faults.schemes.push({ pointer: at, detail: `${name} is no security scheme of the description` });
      else if (scheme.type === 'oauth2')
        for (const scope of asked.filter((wanted) => scheme.scopes !== undefined && !scheme.scopes.has(wanted)))
          faults.scopes.push({ pointer: at, detail: `${scope} is no scope of ${name}` });
      else if (scheme.type !== 'openid' && asked.length > 0)
        faults.scopes.push({ pointer: at, detail: `${name} knows no scopes, and is asked for ${asked.join(', ')}` });
    }
  return faults;
}

/** Whether calls may go over connections that everybody on the way reads. A description that names no address does not rule it out. */
const mayBePlain = ({ addresses, isSwagger, document }: ApiDescription): boolean => {
  const schemes = textsAt(document, 'schemes');
  if (isSwagger) return schemes.length === 0 || schemes.some((scheme) => scheme === 'http' || scheme === 'ws');
  return addresses.length === 0 || addresses.some(isPlain);
};

/** The lists in a document's schemas that have no bound, by their places. */
function unboundedLists(value: unknown, pointer: string, found: Fault[], level = 0): Fault[] {
  if (level > 60 || found.length >= 1_000) return found;
  if (Array.isArray(value)) value.forEach((one, n) => unboundedLists(one, `${pointer}/${n}`, found, level + 1));
  const object = asObject(value);
  if (object === undefined || Array.isArray(value)) return found;
  if (isList(object) && typeof member(object, 'maxItems') !== 'number') found.push({ pointer, detail: 'a list without maxItems' });
  for (const [name, inner] of Object.entries(object))
    if (!/^(?:example|examples|default|enum|x-.*)$/.test(name)) unboundedLists(inner, `${pointer}/${pointerPart(name)}`, found, level + 1);
  return found;
}

const isList = (schema: JsonObject): boolean => {
  const type = member(schema, 'type');
  return type === 'array' || (Array.isArray(type) && type.includes('array'));
};

/** Rules about a description as a whole. */
export const apiChecks: readonly ApiCheck[] = [
  {
    id: 'openapi-plain-http',
    title: 'The API is offered without TLS',
    description:
      'An address or a scheme of the description is http or ws: whoever is on the way reads and changes calls, and what callers show.',
    severity: 'high',
    guidance: 'Offer the API over https and wss alone, and remove the other addresses and schemes from its description.',
    owasp: 'API8',
    cwe: 'CWE-319',
    faults: ({ addresses, isSwagger, document }) =>
      isSwagger
        ? textsAt(document, 'schemes').flatMap((scheme, n) =>
            scheme === 'http' || scheme === 'ws' ? [{ pointer: `/schemes/${n}`, detail: `the scheme ${scheme}` }] : [],
          )
        : addresses.filter((address) => isPlain(address) && !isLocal(address)).map((address) => ({ pointer: '/servers', detail: address })),
  },
  {
    id: 'openapi-no-security-schemes',
    title: 'The description declares no way to sign in',
    description: 'There are no security schemes, so that nobody can tell, or check, who may call the API.',
    severity: 'medium',
    guidance: 'Declare the schemes that the API uses (components.securitySchemes, in Swagger 2 securityDefinitions).',
    owasp: 'API2',
    cwe: 'CWE-306',
    faults: ({ schemes, isSwagger }) =>
      schemes.size > 0
        ? []
        : [{ pointer: isSwagger ? '/securityDefinitions' : '/components/securitySchemes', detail: 'no security scheme is declared' }],
  },
  {
    id: 'openapi-no-global-security',
    title: 'The API asks for nothing unless an operation says so',
    description: 'There is no security for the API as a whole: an operation that is added without its own is open to everybody.',
    severity: 'low',
    guidance: 'Ask for a scheme in the top-level `security`, and let the few operations that are open say so.',
    owasp: 'API2',
    cwe: 'CWE-306',
    faults: ({ security }) =>
      security !== undefined && security.length > 0
        ? []
        : [{ pointer: '/security', detail: security === undefined ? 'security is missing' : 'security is empty' }],
  },
  {
    id: 'openapi-undefined-security-scheme',
    title: 'The API asks for a security scheme that is not declared',
    description: 'What is asked for names no scheme of the description, so that gateways and clients made from it may ask for nothing.',
    severity: 'medium',
    guidance: 'Declare the scheme, or name one that is declared.',
    owasp: 'API2',
    cwe: 'CWE-1188',
    faults: (api) => securityFaults(api.security ?? [], '/security', api).schemes,
  },
  {
    id: 'openapi-undefined-scope',
    title: 'The API asks for a scope that its scheme does not have',
    description: 'A scope that is asked for is none of the scheme, so that it is granted to nobody, or not checked at all.',
    severity: 'medium',
    guidance:
      'Declare the scope in the flows of the scheme, or ask for one that is declared; schemes other than OAuth 2.0 and OpenID Connect have none.',
    owasp: 'API5',
    cwe: 'CWE-863',
    faults: (api) => securityFaults(api.security ?? [], '/security', api).scopes,
  },
  {
    id: 'openapi-basic-authentication',
    title: 'Callers show their password with every call',
    description:
      'A scheme is HTTP basic authentication: the password goes with each call, is easily logged, and cannot be limited or taken back by itself.',
    severity: 'medium',
    guidance: 'Use tokens that live for a short time (OAuth 2.0, OpenID Connect) in place of passwords.',
    owasp: 'API2',
    cwe: 'CWE-522',
    faults: schemesThat(
      ({ type }) => type === 'basic',
      ({ name }) => `${name} is HTTP basic`,
    ),
  },
  {
    id: 'openapi-oauth-implicit-flow',
    title: 'OAuth 2.0 hands tokens out in addresses',
    description: 'A scheme has the implicit flow, in which the token stands in the address of the browser, its history and logs.',
    severity: 'medium',
    guidance: 'Use the authorization code flow with PKCE (RFC 9700).',
    owasp: 'API2',
    cwe: 'CWE-598',
    faults: schemesThat(
      ({ flows }) => flows.includes('implicit'),
      ({ name }) => `${name} has the implicit flow`,
    ),
  },
  {
    id: 'openapi-oauth-password-flow',
    title: 'OAuth 2.0 hands passwords to the client',
    description: 'A scheme has the password flow, in which the client sees the password, and second factors cannot be asked for.',
    severity: 'medium',
    guidance: 'Use the authorization code flow with PKCE (RFC 9700).',
    owasp: 'API2',
    cwe: 'CWE-522',
    faults: schemesThat(
      ({ flows }) => flows.includes('password'),
      ({ name }) => `${name} has the password flow`,
    ),
  },
  {
    id: 'openapi-oauth-plain-http',
    title: 'Sign-in goes over a connection without TLS',
    description: 'An address at which people sign in, or tokens are handed out, is plain http.',
    severity: 'high',
    guidance: 'Use https for every address of the flows.',
    owasp: 'API2',
    cwe: 'CWE-319',
    faults: schemesThat(
      ({ addresses }) => addresses.some(isPlain),
      ({ addresses }) => addresses.filter(isPlain).join(', '),
    ),
  },
  {
    id: 'openapi-api-key-in-clear',
    title: 'API keys may go over connections without TLS',
    description: 'Callers show an API key, and the description does not keep calls to https and wss: whoever is on the way reads the key.',
    severity: 'medium',
    guidance: 'Name https addresses alone (`servers`, in Swagger 2 `schemes`), or use tokens that live for a short time.',
    owasp: 'API2',
    cwe: 'CWE-319',
    faults: (api) =>
      mayBePlain(api)
        ? schemesThat(
            ({ type }) => type === 'api_key',
            ({ name, place }) => `${name} is an API key${place === undefined ? '' : ` in ${place}`}`,
          )(api)
        : [],
  },
  {
    id: 'openapi-unbounded-list',
    title: 'Lists have no bound',
    description: 'A schema describes a list without maxItems: one call may make the API take in, or give, as much as the caller likes.',
    severity: 'low',
    guidance: 'Give each list the `maxItems` that the API really takes.',
    owasp: 'API4',
    cwe: 'CWE-770',
    faults: ({ document }) =>
      ['paths', 'components', 'definitions', 'parameters', 'responses'].flatMap((name) =>
        unboundedLists(objectAt(document, name), `/${name}`, []),
      ),
  },
];
