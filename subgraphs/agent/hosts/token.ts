import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { invalid, violationsOf } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { agentEnrollmentTokens, digestOf } from './records.js';

const MINUTE = 60_000;
/** Minutes for which a token holds when nothing is said, and at most. */
const [STANDARD, MOST] = [60, 24 * 60];
/** `pet_<tenant>.<secret>`: the tenant stands in it, so that it is looked for there alone. */
const TOKEN = /^pet_([A-Za-z0-9_-]{1,300})\.([A-Za-z0-9_-]{43})$/;

const inputSchema = z.strictObject({
  valid_minutes: z.int().min(1, 'must be at least 1').max(MOST, `must be at most ${MOST}`).nullish(),
  note: z.string().trim().min(1, 'must not be empty').max(200, 'must have at most 200 characters').nullish(),
});

export const tokenRowId = (tenantId: string, token: string): string => `${tenantId}|${digestOf(token)}`;

/** The tenant that a token names, whether it holds or not; null for what is no token. */
export function tenantOfToken(token: string): string | null {
  const [, tenant] = TOKEN.exec(token) ?? [];
  return tenant === undefined ? null : Buffer.from(tenant, 'base64url').toString();
}

/** Makes a token by which one host may enroll. It is answered once and stored as a digest. @throws PalisadeError VALIDATION_ERROR */
export async function createEnrollmentToken(context: EngineContext, input: unknown) {
  const parsed = inputSchema.safeParse(input);
  if (!parsed.success) throw invalid(violationsOf(parsed.error));
  const { auth, services } = context;
  const { valid_minutes, note = null } = parsed.data;
  const created_at = services.clock.now();
  const expires_at = new Date(created_at.getTime() + (valid_minutes ?? STANDARD) * MINUTE);
  const token = `pet_${Buffer.from(auth.tenant_id).toString('base64url')}.${randomBytes(32).toString('base64url')}`;
  const token_id = `pet_${randomBytes(9).toString('base64url')}`;
  const row = { token_id, note, created_by: auth.email, created_at, expires_at, used_at: null };
  await context.transaction(async (transaction) => {
    const rows = context.collection(agentEnrollmentTokens);
    // what is over is of no use to anybody
    await rows.remove({ expires_at: { $lt: new Date(created_at.getTime() - MOST * MINUTE) } }, { transaction });
    await rows.insert({ _id: tokenRowId(auth.tenant_id, token), tenant_id: auth.tenant_id, ...row }, { transaction });
    await context.audit(transaction, {
      action: 'agent.token_create',
      actor_email: auth.email,
      role: auth.role,
      ip_address: auth.ip_address,
      target: `agent_token:${token_id}`,
      result: 'success',
      detail: { expires_at: expires_at.toISOString(), note },
    });
  });
  return { token_id, token, note, created_at, expires_at };
}
