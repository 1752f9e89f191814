import { createHash, createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { z } from 'zod';
import { enrollmentText, signedText } from '../kit/engine/agent-gate.js';
import { version } from '../processes/version.js';

const KEY_FILE = 'agent-key.pem';
const AGENT_FILE = 'agent.json';
const agentSchema = z.object({ server: z.string(), tenant_id: z.string(), agent_id: z.string(), hostname: z.string() });
const acceptedSchema = z.object({ report_id: z.string(), scan_run_id: z.string(), state: z.string() });
const refusalSchema = z.object({ message: z.string(), detail: z.unknown() });

/** Enrolls this host: the private key is made here and never leaves. @throws an Error that says what was refused */
export async function enroll(state: string, server: string, token: string, host: string): Promise<string> {
  const name = host.toLowerCase();
  await mkdir(state, { recursive: true, mode: 0o700 });
  if (await exists(join(state, AGENT_FILE)))
    throw new Error(`this host is enrolled already: remove ${join(state, AGENT_FILE)} to enroll it anew`);
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const public_key = publicKey.export({ format: 'jwk' }).x!;
  const proof = signed(privateKey, enrollmentText(token, name, public_key));
  const body = { token, hostname: name, public_key, proof, platform: `${process.platform} ${process.arch}`, agent_version: version };
  // the key stands before the server knows it: what is enrolled can always sign
  await writeFile(join(state, KEY_FILE), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  const answer = await ask(`${server}/api/agent/enroll`, { 'content-type': 'application/json' }, JSON.stringify(body));
  const agent = agentSchema.parse({ server, ...z.record(z.string(), z.unknown()).parse(answer) });
  await writeFile(join(state, AGENT_FILE), `${JSON.stringify(agent, null, 2)}\n`, { mode: 0o600 });
  return `${agent.hostname} is enrolled as ${agent.agent_id}`;
}

/** Signs and sends one report. @param reportId of the bytes where none is given: the same file again is the same report */
export async function report(state: string, file: string, format: string, reportId: string | undefined): Promise<string> {
  const agent = agentSchema.parse(JSON.parse(await readFile(join(state, AGENT_FILE), 'utf8')));
  const key = createPrivateKey(await readFile(join(state, KEY_FILE), 'utf8'));
  const sha256 = await digestOf(file);
  const told = { report_id: reportId ?? sha256.slice(0, 32), time: new Date().toISOString(), sha256, format };
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': String((await stat(file)).size),
    'palisade-agent': `${agent.tenant_id}/${agent.agent_id}`,
    'palisade-report': told.report_id,
    'palisade-time': told.time,
    'palisade-sha256': sha256,
    'palisade-format': format,
    'palisade-signature': signed(key, signedText(agent, told)),
  };
  const { scan_run_id, state: runState } = acceptedSchema.parse(
    await ask(`${agent.server}/api/agent/reports`, headers, createReadStream(file)),
  );
  return `${file}: ${scan_run_id} ${runState}`;
}

const signed = (key: KeyObject, text: string): string => sign(null, Buffer.from(text), key).toString('base64url');

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

async function digestOf(file: string): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(file)) digest.update(chunk as Buffer);
  return digest.digest('hex');
}

/** Redirects are not followed: what is signed is for the server that the host was enrolled at. */
async function ask(url: string, headers: Record<string, string>, body: string | ReturnType<typeof createReadStream>): Promise<unknown> {
  const { statusCode, body: answer } = await request(url, {
    method: 'POST',
    headers: { ...headers, 'user-agent': `palisade/${version}` },
    body,
  });
  const text = await answer.text();
  const json: unknown = text.startsWith('{') ? JSON.parse(text) : undefined;
  if (statusCode < 300) return json;
  const refusal = refusalSchema.safeParse(json);
  const details = z.array(z.object({ path: z.string(), message: z.string() })).safeParse(refusal.data?.detail);
  const reasons = details.success ? details.data.map(({ path, message }) => `${path} ${message}`) : [];
  throw new Error([`${statusCode} ${refusal.data?.message ?? 'which is no answer of Palisade'}`, ...reasons].join(': '));
}
