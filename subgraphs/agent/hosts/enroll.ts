import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { getAuditLog } from '../../../kit/engine/create-context.js';
import { enrollmentText, type AgentGate, type AgentServices } from '../../../kit/engine/agent-gate.js';
import { invalid, unauthenticated, violationsOf } from '../../../kit/base/errors.js';
import { ED25519_KEY, ED25519_SIGNATURE, hasSigned } from '../../../kit/keys/ed25519.js';
import { isEnded } from '../../../kit/work/tenant-ends.js';
import { agentEnrollmentTokens, agentHosts, hostRowId } from './records.js';
import { tenantOfToken, tokenRowId } from './token.js';

/** Names as RFC 1123 has them, with the underscore that some machines have. */
const HOSTNAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_][a-z0-9_-]{0,62})*$/;

const inputSchema = z.strictObject({
  token: z.string().max(500),
  hostname: z.string().trim().toLowerCase().regex(HOSTNAME, 'must be the name of a host'),
  public_key: z.string().regex(ED25519_KEY, 'must be the 32 bytes of an Ed25519 key in base64url'),
  proof: z.string().regex(ED25519_SIGNATURE, 'must be an Ed25519 signature in base64url'),
  platform: z.string().trim().min(1).max(200).nullish(),
  agent_version: z.string().trim().min(1).max(50).nullish(),
});

const refused = () => unauthenticated('The enrollment token does not hold: it was used, is over, or is none');

/** Trades a token for an agent: the token is used up, the host and its key are written, and the audit log tells, in one transaction. */
export const enroll: AgentGate['enroll'] = async (services, body, ip_address) => {
  const parsed = inputSchema.safeParse(body);
  if (!parsed.success) throw invalid(violationsOf(parsed.error));
  const { token, hostname, public_key, proof, platform = null, agent_version = null } = parsed.data;
  const tenant_id = tenantOfToken(token);
  if (tenant_id === null || (await isEnded(services.database, tenant_id))) throw refused();
  if (!hasSigned(public_key, enrollmentText(token, hostname, public_key), proof))
    throw invalid([{ path: 'proof', message: 'is not of the key that is to be enrolled' }]);
  return write(services, tenant_id, tokenRowId(tenant_id, token), { hostname, public_key, platform, agent_version }, ip_address);
};

type Told = Record<'hostname' | 'public_key', string> & Record<'platform' | 'agent_version', string | null>;

function write(services: AgentServices, tenant_id: string, tokenRow: string, told: Told, ip_address: string): Promise<object> {
  const { database, clock } = services;
  const tenant = database.tenant(tenant_id);
  const now = clock.now();
  const agent_id = `agt_${randomBytes(12).toString('base64url')}`;
  return database.transaction(async (transaction) => {
    const usable = { _id: tokenRow, used_at: null, expires_at: { $gt: now } };
    const used = await tenant.collection(agentEnrollmentTokens).findAndUpdate(usable, { $set: { used_at: now } }, { transaction });
    if (!used) throw refused();
    const never = { last_report_at: null, last_format: null, last_scan_run_id: null };
    const host = { _id: hostRowId(tenant_id, agent_id), tenant_id, agent_id, ...told, ...never };
    await tenant.collection(agentHosts).insert({ ...host, enrolled_at: now, enrolled_by: used.created_by }, { transaction });
    const entry = {
      action: 'agent.enroll',
      actor_email: used.created_by,
      ip_address,
      target: `agent:${agent_id}`,
      result: 'success',
      detail: { hostname: told.hostname, token_id: used.token_id },
    } as const;
    await getAuditLog(services).append(transaction, tenant_id, now, [entry]);
    return { agent_id, tenant_id, hostname: told.hostname, enrolled_at: now };
  });
}
