import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { Webhook } from 'standardwebhooks';
import { startStandIn, type StandIn } from './stand-in.js';

export interface SlackMessage {
  text: string;
  blocks?: { type: string; text: { type: string; text: string } }[];
}

/** Slack's incoming webhooks: one that is right, and the answers of Slack to what is not. */
export async function startSlack(): Promise<StandIn & { readonly hook: string; readonly messages: SlackMessage[]; fails: boolean }> {
  const messages: SlackMessage[] = [];
  const state = { fails: false };
  const server = await startStandIn(({ method, url, headers, body }, response) => {
    const say = (status: number, text: string) => response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
    if (url.pathname !== '/services/T000/B000/secret') return say(404, 'no_service');
    if (state.fails) return say(503, 'service_unavailable');
    if (method !== 'POST' || headers['content-type'] !== 'application/json') return say(400, 'invalid_payload');
    const message = JSON.parse(body) as SlackMessage;
    if (!message.text) return say(400, 'no_text');
    const tooLong = (message.blocks ?? []).some((block) => block.text.text.length > (block.type === 'header' ? 150 : 3_000));
    if (tooLong || (message.blocks ?? []).length > 50) return say(400, 'invalid_blocks');
    messages.push(message);
    return say(200, 'ok');
  });
  return Object.assign(state, { ...server, hook: `${server.url}/services/T000/B000/secret`, messages });
}

export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

export interface SignedMessage {
  id: string;
  type: string;
  data: Record<string, unknown>;
}

/** A webhook that takes what is signed with WEBHOOK_SECRET and refuses all else. */
export async function startWebhook(): Promise<StandIn & { readonly messages: SignedMessage[]; readonly tries: string[]; fails: number }> {
  const messages: SignedMessage[] = [];
  const tries: string[] = [];
  const state = { fails: 0 };
  const server = await startStandIn(({ headers, body }, response) => {
    const signed = headers as Record<string, string>;
    tries.push(signed['webhook-id']!);
    try {
      const { type, data } = new Webhook(WEBHOOK_SECRET).verify(body, signed) as Omit<SignedMessage, 'id'>;
      if (state.fails > 0) {
        state.fails--;
        return void response.writeHead(503).end();
      }
      messages.push({ id: signed['webhook-id']!, type, data });
      response.writeHead(204).end();
    } catch {
      response.writeHead(401).end();
    }
  });
  return Object.assign(state, { ...server, messages, tries });
}

/** A mail server that takes everything but mail to `refused@`. */
export async function startMailbox(): Promise<{
  readonly url: string;
  readonly mails: { to: string[]; text: string }[];
  close(): Promise<void>;
}> {
  const mails: { to: string[]; text: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith('refused@') ? Object.assign(new Error('no such mailbox'), { responseCode: 550 }) : null),
    onData(stream, { envelope }, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.once('end', () => {
        mails.push({ to: envelope.rcptTo.map(({ address }) => address), text: Buffer.concat(parts).toString('utf8') });
        done();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    mails,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
