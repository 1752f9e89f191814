import { defineCollection } from '../../../kit/store/collection.js';

/** The ticket that an integration has for a finding. `_id` is `<tenant>|<integration>|<engine>|<finding>`: there is one, however often it is asked for. */
export interface TicketRow {
  _id: string;
  tenant_id: string;
  integration_id: string;
  /** Name of the finding's engine. */
  engine: string;
  finding_id: string;
  /** Null while the ticket is being made. */
  ticket_id: string | null;
  /** Until when nobody else makes the ticket. */
  claimed_until: Date | null;
  /** The moment of the last status taken from the tracker, by its clock: what is older is not taken. */
  status_at: Date | null;
}

export const tickets = defineCollection<TicketRow>(
  'tickets',
  { integration_id: String, engine: String, finding_id: String, ticket_id: String, claimed_until: Date, status_at: Date },
  [{ key: { tenant_id: 1, integration_id: 1, ticket_id: 1 } }, { key: { tenant_id: 1, finding_id: 1 } }],
);

export const ticketRowId = (tenantId: string, integrationId: string, engine: string, findingId: string): string =>
  `${tenantId}|${integrationId}|${engine}|${findingId}`;
