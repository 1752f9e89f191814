import type { ErrorCode } from '../schema/error-table.js';
import type { GatewayOperation } from './gateway-operation.js';
import { RETURN_TO } from '../sign-in/return-to.js';

const CHALLENGE = 'The sign-in under way.';

const FORM = 'application/x-www-form-urlencoded';
const page: GatewayOperation['answer'] = ['text/html', { type: 'string' }];
const metadata: GatewayOperation['answer'] = ['application/xml', { type: 'string' }];

const LINK: readonly ErrorCode[] = ['BAD_REQUEST', 'RATE_LIMITED', 'INTERNAL', 'UPSTREAM_UNAVAILABLE'];
const POSTED: readonly ErrorCode[] = [...LINK, 'FORBIDDEN', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];
const BEGIN = {
  tenant_id: 'The tenant to sign in to.',
  email: 'The e-mail address that leads to the tenant.',
  return_to: RETURN_TO,
  reauthenticate: '1 has the provider ask the person anew who they are, as the 401 of an operation that needs such a proof says.',
  test: '1 tries the settings out, as an administrator of the tenant; nobody is signed in.',
};

const open = { tag: 'auth', isPublic: true } as const;
const get = { ...open, method: 'get' } as const;
const post = { ...open, method: 'post', bodyType: FORM } as const;
const saml = { tag: 'saml' } as const;
const oauth = { tag: 'oauth' } as const;

/** The pages of signing in, and single sign-on. Their errors are pages for browsers (`Accept: text/html`) and the envelope for others. */
export const BROWSER_OPERATIONS: readonly GatewayOperation[] = [
  {
    ...get,
    path: '/auth/login',
    id: 'login_page',
    summary: 'The sign-in page',
    optionalQuery: { return_to: RETURN_TO },
    answer: page,
    errors: LINK,
  },
  {
    ...post,
    path: '/auth/login',
    id: 'submit_login_page',
    summary: 'The form of that page; leads on with the cookie set, or to the second step',
    body: 'LoginForm',
    leadsOn: 302,
    errors: [...POSTED, 'UNAUTHENTICATED', 'VALIDATION_ERROR'],
  },
  {
    ...get,
    path: '/auth/login/organization',
    id: 'organization_page',
    summary: "The page that leads to the identity provider of one's organization",
    optionalQuery: { email: 'E-mail address.', return_to: RETURN_TO },
    answer: page,
    errors: [...LINK, 'NOT_FOUND'],
    errorPages: ['NOT_FOUND'],
  },
  {
    ...get,
    path: '/auth/second-step',
    id: 'second_step_page',
    summary: 'The page that asks for the second step of a sign-in',
    query: { challenge_id: CHALLENGE },
    optionalQuery: { return_to: RETURN_TO },
    answer: page,
    errors: [...LINK, 'UNAUTHENTICATED', 'VALIDATION_ERROR'],
  },
  {
    ...post,
    path: '/auth/second-step',
    id: 'submit_second_step_page',
    summary: 'The form of that page; leads on with the cookie set, or shows new recovery codes, or the page again once a code is mailed',
    body: 'SecondStepForm',
    answer: page,
    leadsOn: 303,
    errors: [...POSTED, 'UNAUTHENTICATED', 'VALIDATION_ERROR'],
  },
  {
    ...get,
    ...saml,
    path: '/auth/saml/login',
    id: 'saml_login',
    summary: 'Redirect to the identity provider with a SAML AuthnRequest',
    optionalQuery: BEGIN,
    leadsOn: 302,
    errors: [...LINK, 'UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND'],
  },
  {
    ...post,
    ...saml,
    path: '/auth/saml/callback',
    id: 'saml_callback',
    summary: 'The SAML response that the browser posts; leads to the end of the sign-in, which sets the cookie',
    body: 'SamlForm',
    answer: page,
    leadsOn: 302,
    errors: POSTED,
  },
  {
    ...post,
    ...saml,
    path: '/api/auth/saml/{tenant_id}/acs/',
    id: 'tenant_saml_callback',
    summary: "The same, at the tenant's own assertion consumer service",
    body: 'SamlForm',
    answer: page,
    leadsOn: 302,
    errors: [...POSTED, 'NOT_FOUND'],
  },
  {
    ...get,
    ...saml,
    path: '/auth/saml/finish',
    id: 'saml_finish',
    summary: 'The end of a SAML sign-in, in the browser that began it; the result of a test is a page',
    query: { code: 'Names the verified response, once.' },
    answer: page,
    leadsOn: 302,
    errors: [...LINK, 'FORBIDDEN'],
  },
  {
    ...get,
    ...saml,
    path: '/auth/saml/metadata',
    id: 'saml_metadata',
    summary: 'Metadata of the service provider that all tenants share',
    answer: metadata,
    errors: LINK,
  },
  {
    ...get,
    ...saml,
    path: '/api/auth/saml/{tenant_id}/metadata/',
    id: 'tenant_saml_metadata',
    summary: "Metadata of the tenant's own service provider; its address is the entity ID",
    answer: metadata,
    errors: [...LINK, 'NOT_FOUND'],
  },
  {
    ...get,
    ...oauth,
    path: '/auth/oauth/login',
    id: 'oauth_login',
    summary: 'Redirect to the OpenID provider with state, nonce and PKCE',
    optionalQuery: BEGIN,
    leadsOn: 302,
    errors: [...LINK, 'UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND'],
  },
  ...(['/auth/oauth/callback', '/api/auth/oauth/{tenant_id}/callback'] as const).map((path): GatewayOperation => ({
    ...get,
    ...oauth,
    path,
    id: path.includes('{') ? 'tenant_oauth_callback' : 'oauth_callback',
    summary: `The answer of the OpenID provider${path.includes('{') ? ", at the tenant's own redirect URI" : ''}; leads on with the cookie set, or to the second step; the result of a test is a page`,
    optionalQuery: { code: 'Authorization code.', state: 'State of the request.', iss: 'Issuer.', error: 'Why there is no code.' },
    answer: page,
    leadsOn: 302,
    errors: [...LINK, 'FORBIDDEN'],
  })),
];
