import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { badRequest } from '../../kit/base/errors.js';

const flag = z
  .enum(['1', '0'])
  .optional()
  .transform((value) => value === '1');

const schema = z.object({
  tenant_id: z.string().min(1).max(128).optional(),
  email: z.string().max(320).optional(),
  return_to: z.string().max(2_000).optional(),
  /** Asks the provider to have the person prove anew who they are. */
  reauthenticate: flag,
  test: flag,
});

/** How a browser asks to sign in through an identity provider. */
export type SignInQuery = z.infer<typeof schema>;

/** @throws PalisadeError BAD_REQUEST for a parameter that stands twice or is too long */
export function parseSignInQuery(request: FastifyRequest): SignInQuery {
  const { data } = schema.safeParse(request.query);
  if (!data) throw badRequest('The parameters of the sign-in cannot be read');
  const email = data.email?.trim();
  return { ...data, email: email === '' ? undefined : email };
}
