import { workerAuth, FindingReader } from '../findings/reader.js';
import type { AuthContext } from '../../../kit/base/auth-context.js';
import { PalisadeError } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { JobHandler } from '../../../kit/engine/job.js';
import { MANUAL_MOVES } from '../../../schema/model.js';
import { integrations, isTracker, type IntegrationRow } from '../integrations/records.js';
import { tickets, type TicketRow } from './records.js';

/** Name of the job that takes the status of a ticket over. */
export const TICKET_STATUS_JOB = 'tickets.status';

/** What a tracker's hook tells. */
export interface TicketMove extends Record<string, unknown> {
  integration_id: string;
  ticket_id: string;
  /** Where the ticket is, for trackers whose ids do not tell; others are not told of. */
  project?: string;
  ticket_status: string;
  /** When, in milliseconds of the tracker's clock. */
  at: number;
}

/** Who moves findings for an integration. */
export const integrationAuth = ({ tenant_id, name }: Pick<IntegrationRow, 'tenant_id' | 'name'>): AuthContext =>
  workerAuth(tenant_id, `integration:${name}`);

/**
 * Moves the findings of a ticket to the status that its own is mapped to, as far as the lifecycle allows the move. What is there already, or
 * is older than what was taken before, changes nothing: a hook may come twice, late, or because of what we did.
 */
export const ticketStatusJob: JobHandler = {
  async run({ context, payload, alive }) {
    const move = payload as TicketMove;
    const integration = await context.collection(integrations).findOne({ _id: move.integration_id });
    if (!isTracker(integration) || integration.state !== 'active' || !('status_mapping' in integration.settings)) return;
    const { project, status_mapping } = integration.settings;
    if (move.project !== undefined && move.project.toLowerCase() !== project.toLowerCase()) return;
    const wanted = move.ticket_status.toLowerCase();
    const mapped = status_mapping.find(({ ticket_status }) => ticket_status.toLowerCase() === wanted);
    if (!mapped) return;
    const links = await context.collection(tickets).find({ integration_id: integration._id, ticket_id: move.ticket_id });
    for (const link of links) {
      alive();
      if (link.status_at === null || link.status_at.getTime() < move.at) await moveOne(context, link, mapped.finding_status, move);
    }
  },
  async giveUp({ context, payload }, reason) {
    context.services.logger.error({ integration: payload['integration_id'], reason }, 'the status of a ticket was not taken over');
  },
};

async function moveOne(context: EngineContext, link: TicketRow, status: keyof typeof MANUAL_MOVES, move: TicketMove): Promise<void> {
  const reader = new FindingReader(context.services, context.auth, context.signal);
  const record = await reader.record(link.engine, link.finding_id);
  const { ticket, finding } = record ?? {};
  const isLinked = ticket?.integration_id === link.integration_id && ticket.ticket_id === link.ticket_id;
  if (finding && isLinked && MANUAL_MOVES[finding.status].includes(status))
    await reader
      .setStatus(
        reader.engineOf(finding.engine)!.engine,
        link.finding_id,
        status,
        `${move.ticket_id} moved to ${move.ticket_status}`,
        finding.version,
      )
      .catch((error: unknown) => {
        // suppressions in force hold it, whatever a tracker says
        if (!(error instanceof PalisadeError) || error.code !== 'CONFLICT') throw error;
      });
  await context.collection(tickets).update({ _id: link._id }, { $max: { status_at: new Date(move.at) } });
}
