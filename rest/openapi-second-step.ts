import type { GatewayOperation } from './gateway-operation.js';
import { schemaReference, type JsonSchema } from './openapi-schemas.js';
import { SIGN_IN_REFUSALS } from './refusals.js';

const FACTORS = ['totp', 'email', 'recovery'];
const text = (description: string): JsonSchema => ({ type: 'string', description });
const closed = (description: string, properties: Record<string, JsonSchema>, required: readonly string[]): JsonSchema => ({
  type: 'object',
  description,
  properties,
  required: [...required],
  additionalProperties: false,
});

/** Schemas of the second step of a sign-in. */
export const SECOND_STEP_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  SecondStepRequired: closed(
    'The first factor was right; a second one is asked for, or has to be set up first.',
    {
      status: {
        enum: ['mfa_required', 'mfa_enrollment_required'],
        description: 'Whether the user has a second factor or sets one up now.',
      },
      challenge_id: text('Names this sign-in at /api/auth/mfa/verify and /api/auth/mfa/send.'),
      methods: { type: 'array', items: { enum: FACTORS }, description: 'What may be shown or, where none is set up, chosen.' },
      expires_in: { type: 'integer', description: 'Seconds left.' },
      totp: closed(
        'What to enter in an authenticator app; present where a second factor has to be set up.',
        { secret: text('The secret, in base32.'), otpauth_url: text('The same as a URL, for a QR code.') },
        ['secret', 'otpauth_url'],
      ),
    },
    ['status', 'challenge_id', 'methods', 'expires_in'],
  ),
  Reauthenticated: closed(
    'The proof counts.',
    {
      status: { const: 'ok', description: 'What takes a proof of who the caller is can be called.' },
      authenticated_at: { type: 'string', format: 'date-time', description: 'When it was given.' },
      expires_in: { type: 'integer', description: 'Seconds for which it counts.' },
    },
    ['status', 'authenticated_at', 'expires_in'],
  ),
  ReauthenticationIncomplete: closed(
    'The password was right; a code of the second factor is asked for beside it.',
    {
      status: { const: 'mfa_required', description: 'Call again with the password and a code.' },
      methods: { type: 'array', items: { enum: FACTORS }, description: 'What may be shown; a code by e-mail is on its way.' },
    },
    ['status', 'methods'],
  ),
  CodeSent: closed('A code is on its way.', { expires_in: { type: 'integer', description: 'Seconds that the code lives.' } }, [
    'expires_in',
  ]),
};

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
