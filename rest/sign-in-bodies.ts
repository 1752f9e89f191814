import { z } from 'zod';
import { acceptBody } from '../sign-in/invites/accept.js';
import { linkAnswer, linkBody } from '../sign-in/link-accounts.js';
import { loginBody } from '../sign-in/login.js';
import { loginAnswer, secondStepAnswer } from '../sign-in/login-result.js';
import { loginForm } from '../sign-in/login-page.js';
import { changeBody } from '../sign-in/passwords/change.js';
import { forgotBody, resetBody } from '../sign-in/passwords/reset.js';
import { codeMissingAnswer, reauthenticateBody, reauthenticatedAnswer } from '../sign-in/reauthenticate.js';
import { samlForm } from '../sign-in/saml/acs.js';
import { secondStepForm } from '../sign-in/second-step/page.js';
import { codeSentAnswer, sendBody } from '../sign-in/second-step/send.js';
import { verifyBody } from '../sign-in/second-step/verify.js';
import { switchBody } from '../sign-in/switch-tenant.js';
import type { JsonSchema } from './openapi-schemas.js';

/** What the routes of signing in take, as they check it, by the name that the document has for it. */
export const SIGN_IN_BODIES: Readonly<Record<string, z.ZodType>> = {
  AcceptInviteRequest: acceptBody,
  ChangePasswordRequest: changeBody,
  ForgotPasswordRequest: forgotBody,
  LinkAccountsRequest: linkBody,
  LoginForm: loginForm,
  LoginRequest: loginBody,
  ReauthenticateRequest: reauthenticateBody,
  ResetPasswordRequest: resetBody,
  SamlForm: samlForm,
  SecondStepForm: secondStepForm,
  SendCodeRequest: sendBody,
  SwitchTenantRequest: switchBody,
  VerifyRequest: verifyBody,
};

/** What they answer with, as their types have it. */
export const SIGN_IN_ANSWERS: Readonly<Record<string, z.ZodType>> = {
  AccountLink: linkAnswer,
  CodeSent: codeSentAnswer,
  LoginResult: loginAnswer,
  Reauthenticated: reauthenticatedAnswer,
  ReauthenticationIncomplete: codeMissingAnswer,
  SecondStepRequired: secondStepAnswer,
};

/** A schema as JSON Schema of draft 2020-12, which OpenAPI 3.1 has: of a body, what it takes before it trims and fills in. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _draft, ...found } = z.toJSONSchema(schema, { io, target: 'draft-2020-12', override: plainly });
  return found;
}

/** Leaves out what says nothing to a reader: the bounds of JavaScript's integers, and the pattern of a time beside its format. */
function plainly({ jsonSchema: shown }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (shown.minimum === Number.MIN_SAFE_INTEGER) delete shown.minimum;
  if (shown.maximum === Number.MAX_SAFE_INTEGER) delete shown.maximum;
  if (shown.format === 'date-time') delete shown.pattern;
}

const components = (schemas: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output'): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, jsonSchema(schema, io)]));

/** The same for the components of the document. */
export const SIGN_IN_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  ...components(SIGN_IN_BODIES, 'input'),
  ...components(SIGN_IN_ANSWERS, 'output'),
};
