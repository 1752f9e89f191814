import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { enrollmentText, signedText } from '../../kit/engine/agent-gate.js';
import type { Answer, Client } from './world.js';

/** An enrolled host, with its key. */
export interface TestAgent {
  readonly agent_id: string;
  readonly tenant_id: string;
  readonly hostname: string;
  readonly privateKey: KeyObject;
}

const signed = (key: KeyObject, text: string): string => sign(null, Buffer.from(text), key).toString('base64url');

/** What a host sends to enroll, signed by a new key of its own. */
export function enrollment(token: string, hostname: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const public_key = publicKey.export({ format: 'jwk' }).x!;
  return { privateKey, body: { token, hostname, public_key, proof: signed(privateKey, enrollmentText(token, hostname, public_key)) } };
}

export async function makeToken(admin: Client): Promise<string> {
  const made = await admin.call<{ token: string }>('/api/v1/agent/enrollment-tokens', { body: { valid_minutes: 5 } });
  if (made.status !== 201) throw new Error(made.text);
  return made.body.token;
}

/** Enrolls a host of the tenant of `admin`. */
export async function enrollAgent(admin: Client, hostname: string): Promise<TestAgent> {
  const { privateKey, body } = enrollment(await makeToken(admin), hostname);
  const answer = await admin.call<{ agent_id: string; tenant_id: string }>('/api/agent/enroll', { body });
  if (answer.status !== 201) throw new Error(answer.text);
  return { ...answer.body, hostname, privateKey };
}

interface Sending {
  report_id: string;
  time?: string;
  format?: string;
  sha256?: string;
  signature?: string;
}

/** The headers of a report, signed, but for what is given otherwise. */
export function reportHeaders(agent: TestAgent, report: string, { report_id, time, format = '', sha256, signature }: Sending) {
  const told = {
    report_id,
    time: time ?? new Date().toISOString(),
    sha256: sha256 ?? createHash('sha256').update(report).digest('hex'),
    format,
  };
  return {
    'palisade-agent': `${agent.tenant_id}/${agent.agent_id}`,
    'palisade-report': told.report_id,
    'palisade-time': told.time,
    'palisade-sha256': told.sha256,
    'palisade-format': told.format,
    'palisade-signature': signature ?? signed(agent.privateKey, signedText(agent, told)),
  };
}

/** Sends a report of a host. */
export const sendReport = (
  client: Client,
  report: string,
  headers: Record<string, string>,
): Promise<Answer<{ scan_run_id: string; state: string }>> => client.call('/api/agent/reports', { raw: report, headers });
