import type { AuditEntry } from '../../../kit/audit/entries.js';
import type { JobHandler } from '../../../kit/engine/job.js';
import { ChannelError } from '../channels/channel-error.js';
import { FindingReader } from '../findings/reader.js';
import { findingOfTarget } from '../findings/target.js';
import { integrations, isTracker } from '../integrations/records.js';
import type { EventConsumer } from '../outbox/consumer.js';
import { trackerOfRow } from './open.js';
import { tickets } from './records.js';
import { integrationAuth } from './status-in.js';

/** Name of the job that tells a tracker that a finding is resolved. */
export const TICKET_COMMENT_JOB = 'tickets.comment';

/** A finding was resolved, and not by the ticket itself. */
const isResolved = ({ action, actor_email, detail }: AuditEntry): boolean =>
  !actor_email.startsWith('integration:') &&
  (action === 'finding.resolve' || (['finding.status', 'finding.unsuppress'].includes(action) && detail?.['to'] === 'RESOLVED'));

/** Tells the tickets of findings that were resolved. */
export const resolvedComments: EventConsumer = {
  name: 'tickets',
  listens: async ({ database }, tenantId) =>
    (await database
      .tenant(tenantId)
      .collection(tickets)
      .findOne({}, { fields: ['ticket_id'] })) !== null,
  async prepare(services, tenantId, entries) {
    const resolved = entries.filter(isResolved).flatMap((entry) => findingOfTarget(entry.target) ?? []);
    if (resolved.length === 0) return null;
    const tenant = services.database.tenant(tenantId);
    const ids = [...new Set(resolved.map(({ finding_id }) => finding_id))];
    const links = (await tenant.collection(tickets).find({ finding_id: { $in: ids }, ticket_id: { $ne: null } })).filter((link) =>
      resolved.some((one) => one.engine === link.engine && one.finding_id === link.finding_id),
    );
    if (links.length === 0) return null;
    const owners = await tenant.collection(integrations).find({ _id: { $in: links.map((link) => link.integration_id) }, state: 'active' });
    const telling = new Map(owners.filter((one) => isTracker(one) && one.settings.comment_on_resolve).map((one) => [one._id, one]));
    return async (transaction) => {
      for (const { integration_id, engine, finding_id, ticket_id } of links) {
        const owner = telling.get(integration_id);
        const payload = { integration_id, engine, finding_id, ticket_id };
        if (owner) await services.jobs.add(transaction, integrationAuth(owner), TICKET_COMMENT_JOB, payload);
      }
    };
  },
};

/** Comments on a ticket while its finding is still resolved and still linked to it. */
export const ticketCommentJob: JobHandler = {
  async run({ context, payload }) {
    const { integration_id, engine, finding_id, ticket_id } = payload as Record<string, string>;
    const integration = await context.collection(integrations).findOne({ _id: integration_id });
    if (!isTracker(integration) || integration.state !== 'active') return;
    const record = await new FindingReader(context.services, context.auth, context.signal).record(engine!, finding_id!);
    const { ticket, finding } = record ?? {};
    if (finding?.status !== 'RESOLVED' || ticket?.integration_id !== integration_id || ticket?.ticket_id !== ticket_id) return;
    try {
      await trackerOfRow(context, integration).comment(ticket_id!, 'Palisade: the finding behind this ticket is resolved.');
    } catch (error) {
      if (error instanceof ChannelError && error.retry) throw error;
      context.services.logger.warn({ err: error, integration: integration_id }, 'a ticket was not told that its finding is resolved');
    }
  },
  async giveUp({ context, payload }, reason) {
    context.services.logger.warn({ integration: payload['integration_id'], reason }, 'a ticket was not told that its finding is resolved');
  },
};
