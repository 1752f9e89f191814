import type { EngineServices } from '../../../kit/engine/context.js';
import { invalid } from '../../../kit/base/errors.js';
import { ForbiddenTarget } from '../../../kit/outbound/outbound.js';
import { ChannelError } from '../channels/channel-error.js';
import { sendMail } from '../channels/email.js';
import { post } from '../channels/slack.js';
import { textCard } from '../channels/teams.js';
import { trackerOf, type TrackerKind } from '../channels/trackers.js';
import { putMessage } from '../channels/s3.js';
import { sendWebhook } from '../channels/webhook.js';
import { storageEndpoint } from '../../../kit/outbound/bucket-fields.js';
import type { IntegrationKind, KindCredentials, KindSettings } from './records.js';

type Target<Kind extends IntegrationKind> = { name: string; settings: KindSettings[Kind]; credentials: KindCredentials[Kind] };
type TryOut<Kind extends IntegrationKind> = (services: EngineServices, id: string, target: Target<Kind>) => Promise<void>;

const GREETING = 'Palisade is connected. Notifications will arrive here.';

/** A message that says that messages will come. */
const ping = (id: string, at: Date) => ({ type: 'ping', timestamp: at.toISOString(), data: { integration_id: id } });

const testOf =
  <Kind extends TrackerKind>(kind: Kind): TryOut<Kind> =>
  ({ outbound }, _id, { settings, credentials }) =>
    trackerOf(kind, outbound, settings, credentials).test();

const TRY_OUTS: { [Kind in IntegrationKind]: TryOut<Kind> } = {
  jira: testOf('jira'),
  github: testOf('github'),
  gitlab: testOf('gitlab'),
  servicenow: testOf('servicenow'),
  slack: ({ outbound }, _id, { credentials }) => post(outbound, credentials.url, { text: GREETING }),
  teams: ({ outbound }, _id, { credentials }) => post(outbound, credentials.url, textCard(GREETING)),
  email: ({ mailer }, _id, { settings }) =>
    sendMail(mailer, { to: settings.recipients.join(', '), subject: 'Palisade is connected', text: GREETING }),
  webhook: ({ outbound, clock }, id, { settings, credentials }) => {
    const at = clock.now();
    return sendWebhook(outbound, { ...settings, ...credentials }, `msg_ping_${id}_${at.getTime()}`, ping(id, at), at);
  },
  s3: ({ outbound, clock }, id, { settings, credentials }) =>
    putMessage(outbound, settings, credentials, 'palisade-is-connected', ping(id, clock.now())),
};

/** Where an integration calls, and how its fields name that. */
function targetOf({ settings, credentials }: Target<IntegrationKind>): { path: string; url: string } | null {
  if ('url' in credentials) return { path: 'credentials.url', url: credentials.url };
  if ('bucket' in settings) return { path: 'settings.url', url: storageEndpoint({ ...settings, endpoint: settings.url }) };
  if ('url' in settings) return { path: 'settings.url', url: settings.url };
  return null;
}

/**
 * Tries an integration out before it is stored: what it would send to is called, with a message that says so.
 * @throws PalisadeError VALIDATION_ERROR with what the other side said, or when it must not be called
 */
export async function tryOut<Kind extends IntegrationKind>(
  services: EngineServices,
  kind: Kind,
  id: string,
  target: Target<Kind>,
): Promise<void> {
  const address = targetOf(target);
  try {
    if (address) services.outbound.assertAllowed(address.url);
    await TRY_OUTS[kind](services, id, target);
  } catch (error) {
    if (error instanceof ForbiddenTarget) throw invalid([{ path: address?.path ?? 'input', message: error.message }]);
    if (error instanceof ChannelError)
      throw invalid([{ path: 'input', message: `the test failed: ${error.message}` }], 'The integration does not pass its test');
    throw error;
  }
}
