import type { Role } from '../../schema/permissions.js';
import type { Answer, Client } from './world.js';

export const GOOD_PASSWORD = 'eleven purple kettles';

/** An invitation as REST shows it. */
export interface Invite {
  id: string;
  email: string;
  role: Role;
  state: string;
  invited_by: string;
  created_at: string;
  expires_at: string;
  accepted_at: string | null;
  link: string | null;
}

export const invite = (admin: Client, email: string, role: Role = 'viewer') =>
  admin.call<Invite>('/api/v1/invites', { body: { email, role } });

/** The token of a link. */
export const tokenIn = (link: string): string => new URL(link).searchParams.get('token')!;

/** Invites somebody; the token of the link. @throws when that is refused */
export async function invited(admin: Client, email: string, role: Role = 'viewer'): Promise<{ id: string; token: string }> {
  const { status, body, text } = await invite(admin, email, role);
  if (status !== 201) throw new Error(text);
  return { id: body.id, token: tokenIn(body.link!) };
}

export const accept = (client: Client, body: Record<string, unknown>) => client.call('/api/auth/invites/accept', { body });

/** The session cookie that an answer sets, as a client sends it back; null when it sets none. */
export const cookieOf = ({ headers }: Answer<unknown>): string | null => headers.get('set-cookie')?.split(';', 1)[0] ?? null;
