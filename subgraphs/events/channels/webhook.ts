import { Webhook } from 'standardwebhooks';
import type { Outbound } from '../../../kit/outbound/outbound.js';
import { callTarget } from './call-target.js';
import { refusal } from './channel-error.js';
import { findingUrl, type Digest } from './digest.js';

export interface WebhookMessage {
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

/** A digest as the payload of a webhook. */
export const digestMessage = (digest: Digest, publicUrl: string | undefined, at: Date): WebhookMessage => ({
  type: 'notification',
  timestamp: at.toISOString(),
  data: {
    rule: digest.rule,
    event: digest.event,
    total: digest.total,
    by_severity: digest.by_severity,
    findings: digest.findings.map((finding) => ({ ...finding, url: findingUrl(publicUrl, finding) })),
  },
});

/**
 * Posts a message signed after Standard Webhooks.
 * @param id `webhook-id`, the same for every try of one message
 * @throws ChannelError
 */
export async function sendWebhook(
  outbound: Outbound,
  target: { url: string; secret: string },
  id: string,
  message: WebhookMessage,
  at: Date,
): Promise<void> {
  const body = JSON.stringify(message);
  const { status } = await callTarget(outbound, target.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(target.secret).sign(id, at, body),
    },
    body,
  });
  if (status < 200 || status > 299) throw refusal(status, '');
}
