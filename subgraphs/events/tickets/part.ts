import type { EngineContext } from '../../../kit/engine/context.js';
import type { EnginePart } from '../../../kit/engine/engine.js';
import { conflict, invalid, notFound, PalisadeError } from '../../../kit/base/errors.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { ChannelError } from '../channels/channel-error.js';
import { TRACKER_KINDS } from '../channels/trackers.js';
import { FindingReader } from '../findings/reader.js';
import { integrations, isTracker } from '../integrations/records.js';
import { findTicket, openTicket, TicketBusy, type OpenedTicket } from './open.js';
import { trackerHooks } from './hooks.js';
import { tickets } from './records.js';
import { TICKET_COMMENT_JOB, ticketCommentJob } from './resolved-comment.js';
import { TICKET_STATUS_JOB, ticketStatusJob } from './status-in.js';

interface OpenArguments {
  engine: string;
  finding_id: string;
  integration_id: string;
  ticket_id?: string | null;
}

/** Tickets of findings in trackers. */
export const ticketsPart: EnginePart = {
  prefixes: [],
  typeDefs: readSchema(import.meta.url),
  resolvers: { Mutation: { open_ticket: (_, args: OpenArguments, context) => open(context, args) } },
  collections: [tickets],
  hooks: trackerHooks,
  jobs: { [TICKET_STATUS_JOB]: ticketStatusJob, [TICKET_COMMENT_JOB]: ticketCommentJob },
};

async function open(context: EngineContext, args: OpenArguments): Promise<OpenedTicket> {
  const reader = new FindingReader(context.services, context.auth, context.signal);
  const held = await reader.held(args.engine, args.finding_id);
  if (!held) throw notFound('Finding');
  const integration = await context.collection(integrations).findOne({ _id: args.integration_id });
  if (!integration) throw refused('integration_id', 'there is no such integration');
  if (!isTracker(integration)) throw refused('integration_id', `must be one that makes tickets: ${TRACKER_KINDS.join(', ')}`);
  if (integration.state !== 'active') throw refused('integration_id', 'the integration is paused');
  try {
    if (args.ticket_id == null) return await openTicket(context, integration, held.engine, held.record);
    const found = await findTicket(context, integration, held.engine, args.finding_id, args.ticket_id);
    if (!found) throw refused('ticket_id', 'there is no such ticket');
    return found;
  } catch (error) {
    if (error instanceof TicketBusy) throw conflict(error.message);
    if (error instanceof ChannelError)
      throw error.retry
        ? new PalisadeError('UPSTREAM_UNAVAILABLE', `The tracker: ${error.message}`)
        : refused('integration_id', error.message);
    throw error;
  }
}

const refused = (field: string, message: string) => invalid([{ path: field, message }]);
