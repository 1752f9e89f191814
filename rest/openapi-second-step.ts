import type { GatewayOperation } from './gateway-operation.js';
import { schemaReference } from './openapi-schemas.js';
import { SIGN_IN_REFUSALS } from './refusals.js';

const COMMON = {
  method: 'post',
  tag: 'auth',
  isPublic: true,
  errors: SIGN_IN_REFUSALS,
} as const;

/** The endpoints of the second step of a sign-in (decision 23). */
export const SECOND_STEP_OPERATIONS: readonly GatewayOperation[] = [
  {
    ...COMMON,
    path: '/api/auth/mfa/verify',
    id: 'verify_second_step',
    summary: 'Second step: a code of the authenticator app or a mail, or a recovery code; sets the access_token cookie',
    body: 'VerifyRequest',
    answer: ['application/json', schemaReference('LoginResult')],
  },
  {
    ...COMMON,
    path: '/api/auth/mfa/send',
    id: 'send_second_step_code',
    summary: 'Mail the code of a second step',
    body: 'SendCodeRequest',
    answer: ['application/json', schemaReference('CodeSent')],
  },
  {
    ...COMMON,
    isPublic: false,
    path: '/api/auth/reauthenticate',
    id: 'reauthenticate',
    summary: 'Prove again who you are, for what takes a proof of the last 15 minutes; people of an identity provider do it there',
    body: 'ReauthenticateRequest',
    answer: ['application/json', { oneOf: [schemaReference('Reauthenticated'), schemaReference('ReauthenticationIncomplete')] }],
  },
];
