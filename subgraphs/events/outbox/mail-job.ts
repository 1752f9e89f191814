import type { JobHandler } from '../../../kit/engine/job.js';
import { openQueuedMail } from '../../../kit/work/mail.js';

/** Sends a queued mail. A mail may arrive twice when a worker dies between sending and noting it. */
export const mailJob: JobHandler = {
  async run({ context: { auth, services }, payload }) {
    await services.mailer.send(openQueuedMail(services.masterKey, auth.tenant_id, payload));
  },
  async giveUp({ context }, reason) {
    context.services.logger.error({ tenant: context.auth.tenant_id, reason }, 'a mail could not be sent');
  },
};
