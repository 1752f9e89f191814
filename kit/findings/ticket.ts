import { z } from 'zod';
import type { EngineContext } from '../engine/context.js';
import { invalid, notFound, violationsOf } from '../base/errors.js';
import type { FindingFacts } from '../engine/finding-facts.js';
import { FeedChanges } from './feed/feed-changes.js';
import { findingRowId, findings, findingTarget, type FindingRow, type FindingTicket } from './row.js';

export interface TicketArguments {
  finding_id: string;
  ticket_id?: string | null;
  ticket_url?: string | null;
  integration_id?: string | null;
}

const named = z.object({
  ticket_id: z.string().trim().min(1).max(255),
  ticket_url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).max(2_000),
  integration_id: z.string().nullable(),
});
const sameTicket = (one: FindingTicket | null, other: z.infer<typeof named>) =>
  one?.ticket_id === other.ticket_id && one.ticket_url === other.ticket_url && one.integration_id === other.integration_id;

/** A ticket as the graph gives it. */
export const ticketLink = (facts: FindingFacts, { finding_id }: Pick<FindingRow, 'finding_id'>, ticket: FindingTicket) => ({
  finding_id,
  engine: facts.viewSegment,
  ...ticket,
});

/**
 * Links a finding to a ticket, or unlinks it where no ticket is named; row and audit entry in one transaction. The same link again changes nothing.
 * @throws PalisadeError NOT_FOUND without such a finding, or without a ticket to unlink; VALIDATION_ERROR
 */
export async function setTicket(context: EngineContext, facts: FindingFacts, args: TicketArguments) {
  const { auth, services } = context;
  const rows = context.collection(findings);
  const unlinks = args.ticket_id == null && args.ticket_url == null;
  return context.transaction(async (transaction) => {
    const row = await rows.findOne({ _id: findingRowId(auth.tenant_id, facts.engine, args.finding_id) }, { transaction });
    if (!row) throw notFound('Finding');
    const before = row.ticket ?? null;
    const wanted = unlinks ? null : checked(args);
    if (wanted === null && before === null) throw notFound('Ticket');
    if (wanted !== null && before !== null && sameTicket(before, wanted)) return ticketLink(facts, row, before);
    const ticket = wanted && { ...wanted, linked_by: auth.email, linked_at: services.clock.now() };
    const change = { ticket, version: row.version + 1 };
    await rows.update({ _id: row._id }, { $set: change }, { transaction });
    const feed = new FeedChanges();
    feed.changed(row, { ...row, ...change }, 'triaged');
    await feed.write(services, auth.tenant_id, facts.engine, transaction);
    const link = (ticket ?? before)!;
    await context.audit(transaction, {
      action: ticket ? 'finding.link_ticket' : 'finding.unlink_ticket',
      actor_email: auth.email,
      role: auth.role,
      ip_address: auth.ip_address,
      target: findingTarget(facts.engine, args.finding_id),
      result: 'success',
      detail: {
        note: `${link.ticket_id} ${link.ticket_url}`,
        ticket_id: link.ticket_id,
        ticket_url: link.ticket_url,
        integration_id: link.integration_id,
      },
    });
    return ticket && ticketLink(facts, row, ticket);
  });
}

function checked({ ticket_id, ticket_url, integration_id = null }: TicketArguments): z.infer<typeof named> {
  const parsed = named.safeParse({ ticket_id, ticket_url, integration_id });
  if (parsed.success) return parsed.data;
  throw invalid(violationsOf(parsed.error));
}
