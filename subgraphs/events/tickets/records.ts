import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, nullable, text } from '../../../kit/store/fields.js';

/** The ticket that an integration has for a finding. `_id` is `<tenant>|<integration>|<engine>|<finding>`: there is one, however often it is asked for. */
export const tickets = defineCollection(
  'tickets',
  {
    integration_id: text,
    /** Name of the finding's engine. */
    engine: text,
    finding_id: text,
    /** Null while the ticket is being made. */
    ticket_id: nullable(text),
    /** Until when nobody else makes the ticket. */
    claimed_until: nullable(date),
    /** The moment of the last status taken from the tracker, by its clock: what is older is not taken. */
    status_at: nullable(date),
  },
  [{ key: { tenant_id: 1, integration_id: 1, ticket_id: 1 } }, { key: { tenant_id: 1, finding_id: 1 } }],
);
export type TicketRow = RowOf<typeof tickets>;

export const ticketRowId = (tenantId: string, integrationId: string, engine: string, findingId: string): string =>
  `${tenantId}|${integrationId}|${engine}|${findingId}`;
