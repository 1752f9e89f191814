import { hashPassword } from '../../sign-in/password.js';
import type { Role } from '../../schema/permissions.js';
import type { UserRow } from '../../accounts/records.js';
import { addMembership, createUser } from '../../accounts/seed.js';
import type { Answer, Client, TestTenant, World } from './world.js';

export const PASSWORD = 'correct horse battery staple';

/** Makes a member of `tenant` who signs in with PASSWORD. */
export async function memberOf(
  world: World,
  { tenant }: TestTenant,
  email: string,
  role: Role,
  input: Partial<Parameters<typeof createUser>[1]> = {},
): Promise<UserRow> {
  const seed = world.auth.parts;
  const password_hash = await hashPassword(PASSWORD);
  const user = await createUser(seed, { email, name: role, password_hash, organization_id: tenant.organization_id, ...input });
  await addMembership(seed, { tenant_id: tenant._id, user, role });
  return user;
}

/** What the sign-in routes answer. */
export interface SignInAnswer {
  status: string;
  challenge_id: string;
  methods: string[];
  message: string;
}

export const signIn = (client: Client, email: string, password = PASSWORD, headers: Record<string, string> = {}) =>
  client.call<SignInAnswer>('/api/auth/login', { body: { email, password }, headers });

export const verify = (client: Client, challenge_id: string, code: string): Promise<Answer<SignInAnswer>> =>
  client.call<SignInAnswer>('/api/auth/mfa/verify', { body: { challenge_id, code } });
