import { z } from 'zod';
import { acceptBody } from '../sign-in/invites/accept.js';
import { linkBody } from '../sign-in/link-accounts.js';
import { loginBody } from '../sign-in/login.js';
import { loginForm } from '../sign-in/login-page.js';
import { changeBody } from '../sign-in/passwords/change.js';
import { forgotBody, resetBody } from '../sign-in/passwords/reset.js';
import { reauthenticateBody } from '../sign-in/reauthenticate.js';
import { samlForm } from '../sign-in/saml/acs.js';
import { secondStepForm } from '../sign-in/second-step/page.js';
import { sendBody } from '../sign-in/second-step/send.js';
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

/** What `schema` takes, before it trims and fills in, as a JSON Schema of draft 2020-12, which OpenAPI 3.1 has. */
function inputSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _draft, ...found } = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' });
  return found;
}

/** The same for the components of the document. */
export const SIGN_IN_BODY_SCHEMAS: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.entries(SIGN_IN_BODIES).map(([name, schema]) => [name, inputSchema(schema)]),
);
