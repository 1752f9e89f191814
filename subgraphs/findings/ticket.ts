import type { EngineContext } from '../../kit/engine/context.js';
import { invalid } from '../../kit/base/errors.js';
import { defineOperation, runOperation } from '../../kit/engine/operation.js';
import type { TicketLink } from '../../kit/read/findings.js';
import { askHolder } from './owner.js';

export interface TicketInput {
  integration_id?: string | null;
  ticket_id?: string | null;
  ticket_url?: string | null;
}

interface Opened {
  ticket_id: string;
  ticket_url: string;
}

const openTicket = defineOperation<{ engine: string; id: string; integration: string; ticket: string | null }, Opened>(
  'events',
  `mutation($engine: String!, $id: ID!, $integration: ID!, $ticket: String) {
    result: open_ticket(engine: $engine, finding_id: $id, integration_id: $integration, ticket_id: $ticket) { ticket_id ticket_url }
  }`,
);

/**
 * Links a finding to a ticket: made through an integration, found there by its id, or named with its address. Making one again for the same
 * finding and integration gives the ticket there is.
 * @throws PalisadeError NOT_FOUND, VALIDATION_ERROR, CONFLICT while the same ticket is being made, UPSTREAM_UNAVAILABLE
 */
export async function linkTicket(context: EngineContext, segment: string, id: string, input: TicketInput): Promise<TicketLink> {
  const setTicket = async (link: Opened & { integration_id: string | null }) =>
    (await askHolder(context, segment, 'setTicket', { id, ...link }))!;
  const { integration_id: integration = null, ticket_id: ticket = null, ticket_url = null } = input;
  if (integration === null) {
    if (ticket === null || ticket_url === null)
      throw invalid([{ path: 'input', message: 'name an integration_id, or a ticket_id with its ticket_url' }]);
    return setTicket({ ticket_id: ticket, ticket_url, integration_id: null });
  }
  if (ticket_url !== null) throw invalid([{ path: 'ticket_url', message: 'comes from the integration; leave it out' }]);
  const opened = await runOperation(context, openTicket, { engine: segment, id, integration, ticket });
  return setTicket({ ...opened, integration_id: integration });
}

/** @throws PalisadeError NOT_FOUND without such a finding, or when no ticket is linked */
export async function unlinkTicket(context: EngineContext, segment: string, id: string): Promise<true> {
  await askHolder(context, segment, 'setTicket', { id });
  return true;
}
