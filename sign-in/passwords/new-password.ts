import { z } from 'zod';
import { PASSWORD_LENGTH } from './rules.js';

const { least, most } = PASSWORD_LENGTH;

/** The member of a body that carries a new password. Its rules are looked at later, where the account is known (`assertGoodPassword`). */
export const newPassword = z
  .string()
  .min(1)
  .max(1_024)
  .meta({ format: 'password', description: `The new password: ${least} to ${most} characters, none of the common ones.` });
