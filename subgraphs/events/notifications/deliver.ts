import { createEngineContext } from '../../../kit/engine/create-context.js';
import type { EngineContext, EngineServices } from '../../../kit/engine/context.js';
import { ChannelError } from '../channels/channel-error.js';
import type { Digest } from '../channels/digest.js';
import { digestMail, sendMail } from '../channels/email.js';
import { digestPost, post } from '../channels/slack.js';
import { digestCard } from '../channels/teams.js';
import { putMessage } from '../channels/s3.js';
import type { TrackerKind } from '../channels/trackers.js';
import { digestMessage, sendWebhook } from '../channels/webhook.js';
import { openCredentials } from '../integrations/credentials.js';
import { integrations, isTracker, type IntegrationRow } from '../integrations/records.js';
import { integrationAuth } from '../tickets/status-in.js';
import { openDigestTickets } from '../tickets/digest-tickets.js';
import { notificationRules, ruleRowId, type NotificationRow, type NotificationRuleRow } from './records.js';

/** Nothing is sent, for a reason that lies with the tenant. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/**
 * Sends one message by the channel that its rule names now.
 * @throws ChannelError, Skipped
 */
export async function deliver(services: EngineServices, signal: AbortSignal, notification: NotificationRow): Promise<void> {
  const { tenant_id, rule_id } = notification;
  const tenant = services.database.tenant(tenant_id);
  const rule = await tenant.collection(notificationRules).findOne({ _id: ruleRowId(tenant_id, rule_id) });
  if (!rule?.enabled) throw new Skipped('the rule is gone or switched off');
  const digest = digestOf(notification, rule);
  const publicUrl = services.config.PUBLIC_URL;
  if (rule.integration_id === null) return sendMail(services.mailer, digestMail(rule.recipients, digest, publicUrl));
  const integration = await tenant.collection(integrations).findOne({ _id: rule.integration_id });
  if (!integration) throw new ChannelError('the integration is gone', false);
  if (integration.state !== 'active') throw new Skipped('the integration is paused');
  const context = createEngineContext(services, 'events', integrationAuth(integration), signal);
  if (isTracker(integration)) return openDigestTickets(context, integration, digest);
  return SENDERS[integration.kind as Messenger](context, integration as never, digest);
}

/** Kinds that are told in one message. */
type Messenger = Exclude<IntegrationRow['kind'], TrackerKind>;
type Sender<Kind extends IntegrationRow['kind']> = (
  context: EngineContext,
  integration: IntegrationRow<Kind>,
  digest: Digest,
) => Promise<void>;

const SENDERS: { [Kind in Messenger]: Sender<Kind> } = {
  email: ({ services }, { settings }, digest) =>
    sendMail(services.mailer, digestMail(settings.recipients, digest, services.config.PUBLIC_URL)),
  slack: ({ services: { outbound, masterKey, config } }, integration, digest) =>
    post(outbound, openCredentials(masterKey, integration).url, digestPost(digest, config.PUBLIC_URL)),
  teams: ({ services: { outbound, masterKey, config } }, integration, digest) =>
    post(outbound, openCredentials(masterKey, integration).url, digestCard(digest, config.PUBLIC_URL)),
  webhook: ({ services: { outbound, masterKey, config, clock } }, integration, digest) => {
    const target = { ...integration.settings, ...openCredentials(masterKey, integration) };
    const at = clock.now();
    return sendWebhook(outbound, target, `msg_${digest.id}`, digestMessage(digest, config.PUBLIC_URL, at), at);
  },
  s3: ({ services: { outbound, masterKey, config, clock } }, integration, digest) => {
    const at = clock.now();
    const message = digestMessage(digest, config.PUBLIC_URL, at);
    return putMessage(outbound, integration.settings, openCredentials(masterKey, integration), `msg_${digest.id}`, message);
  },
};

const digestOf = ({ _id, event, total, by_severity, findings }: NotificationRow, { id, name }: NotificationRuleRow): Digest => ({
  id: _id,
  rule: { id, name },
  event,
  total,
  by_severity,
  findings,
});
