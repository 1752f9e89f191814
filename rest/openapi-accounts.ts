import type { ErrorCode } from '../schema/error-table.js';
import type { GatewayOperation } from './gateway-operation.js';
import { schemaReference } from './openapi-schemas.js';
import { BODY_REFUSALS, SIGN_IN_REFUSALS } from './refusals.js';

const LINK_REFUSALS: readonly ErrorCode[] = [...BODY_REFUSALS, 'GONE'];
const PAGE_REFUSALS: readonly ErrorCode[] = ['VALIDATION_ERROR', 'GONE', 'RATE_LIMITED', 'INTERNAL', 'UPSTREAM_UNAVAILABLE'];
const FORM = 'application/x-www-form-urlencoded';
const html: GatewayOperation['answer'] = ['text/html', { type: 'string' }];

const open = { tag: 'auth', isPublic: true } as const;

/** The endpoints of invitations and passwords, and the pages behind their links. */
export const ACCOUNT_OPERATIONS: readonly GatewayOperation[] = [
  {
    ...open,
    method: 'post',
    path: '/api/auth/invites/accept',
    id: 'accept_invite',
    summary: 'Accept an invitation and sign in; 410 when its link was used, revoked, replaced or is older than 72 hours',
    body: 'AcceptInviteRequest',
    answer: ['application/json', schemaReference('LoginResult')],
    errors: [...LINK_REFUSALS, 'UNAUTHENTICATED', 'CONFLICT'],
  },
  {
    ...open,
    method: 'post',
    path: '/api/auth/password/forgot',
    id: 'forgot_password',
    summary: 'Send a link that resets the password; the answer is the same for every address',
    body: 'ForgotPasswordRequest',
    status: 202,
    answer: ['application/json', { type: 'object', properties: { status: { const: 'accepted' } }, required: ['status'] }],
    errors: BODY_REFUSALS,
  },
  {
    ...open,
    method: 'post',
    path: '/api/auth/password/reset',
    id: 'reset_password',
    summary: 'Set a new password with a link; ends all sessions of the user and signs nobody in',
    body: 'ResetPasswordRequest',
    status: 204,
    errors: LINK_REFUSALS,
  },
  {
    tag: 'auth',
    method: 'post',
    path: '/api/auth/password/change',
    id: 'change_password',
    summary: 'Change the own password; ends all other sessions of the user and renews the cookie',
    body: 'ChangePasswordRequest',
    status: 204,
    errors: [...SIGN_IN_REFUSALS, 'CONFLICT'],
  },
  {
    tag: 'auth',
    method: 'post',
    path: '/api/auth/link',
    id: 'begin_link',
    summary:
      "Let the account that a tenant's identity provider has made be joined to the own one: answers with a token for a session of that account",
    answer: ['application/json', schemaReference('AccountLink')],
    errors: SIGN_IN_REFUSALS,
  },
  {
    tag: 'auth',
    method: 'post',
    path: '/api/auth/link/finish',
    id: 'finish_link',
    summary:
      "In a session of the provider's account, join it to the own one; the session ends, and the provider signs in the own account from now on",
    body: 'LinkAccountsRequest',
    status: 204,
    errors: [...SIGN_IN_REFUSALS, 'CONFLICT', 'GONE'],
  },
  {
    ...open,
    method: 'get',
    path: '/auth/invite',
    id: 'invite_page',
    summary: 'The page that accepts an invitation; opening it changes nothing',
    query: { token: "The token of the invitation's link." },
    answer: html,
    errors: PAGE_REFUSALS,
  },
  {
    ...open,
    method: 'post',
    path: '/auth/invite',
    id: 'submit_invite_page',
    summary: 'The form of that page; leads to the start page with the cookie set',
    body: 'AcceptInviteRequest',
    bodyType: FORM,
    leadsOn: 302,
    errors: [...LINK_REFUSALS, 'UNAUTHENTICATED', 'CONFLICT'],
  },
  {
    ...open,
    method: 'get',
    path: '/auth/password/forgot',
    id: 'forgot_password_page',
    summary: 'The page that asks for a link',
    answer: html,
    errors: ['RATE_LIMITED', 'INTERNAL', 'UPSTREAM_UNAVAILABLE'],
  },
  {
    ...open,
    method: 'post',
    path: '/auth/password/forgot',
    id: 'submit_forgot_password_page',
    summary: 'The form of that page',
    body: 'ForgotPasswordRequest',
    bodyType: FORM,
    answer: html,
    errors: BODY_REFUSALS,
  },
  {
    ...open,
    method: 'get',
    path: '/auth/password/reset',
    id: 'reset_password_page',
    summary: 'The page that takes the new password; opening it changes nothing',
    query: { token: 'The token of the link.' },
    answer: html,
    errors: PAGE_REFUSALS,
  },
  {
    ...open,
    method: 'post',
    path: '/auth/password/reset',
    id: 'submit_reset_password_page',
    summary: 'The form of that page',
    body: 'ResetPasswordRequest',
    bodyType: FORM,
    answer: html,
    errors: LINK_REFUSALS,
  },
];
