import { mongo } from 'mongoose';
import type { EngineContext } from '../../../kit/engine/context.js';
import { ChannelError } from '../channels/channel-error.js';
import type { NewIssue, Tracker } from '../channels/tracker.js';
import { trackerOf } from '../channels/trackers.js';
import type { ReadRecord } from '../findings/reader.js';
import { openCredentials } from '../integrations/credentials.js';
import type { TrackerRow } from '../integrations/records.js';
import { findingIssue, issueMarker } from './issue-text.js';
import { ticketRowId, tickets, type TicketRow } from './records.js';

export interface OpenedTicket {
  ticket_id: string;
  ticket_url: string;
}

/** The ticket is being made at this very moment, or an answer of the tracker was lost: it is looked for once the claim ends. */
export class TicketBusy extends ChannelError {
  override readonly name = 'TicketBusy';

  constructor() {
    super('the ticket is being made; try again in a minute', true);
  }
}

/** Milliseconds for which one process alone makes a ticket: longer than it takes, and than the tracker's search lags behind. */
const CLAIM_MS = 60_000;

/** The tracker behind an integration. */
export const trackerOfRow = ({ services }: Pick<EngineContext, 'services'>, row: TrackerRow): Tracker =>
  // the settings and credentials of a row are those of its kind
  trackerOf(row.kind, services.outbound, row.settings as never, openCredentials(services.masterKey, row) as never);

/**
 * The ticket of a finding in a tracker, made when there is none. A crash between making it and noting it makes no second one: the ticket
 * carries a marker of the finding's own, which is searched for before one is made.
 * @throws ChannelError; TicketBusy
 */
export async function openTicket(
  context: EngineContext,
  integration: TrackerRow,
  engine: string,
  record: ReadRecord,
): Promise<OpenedTicket> {
  const { tenant_id } = context.auth;
  const { finding_id } = record.finding;
  const tracker = trackerOfRow(context, integration);
  const row = await claim(context, integration._id, engine, finding_id);
  const known = row.ticket_id && (await released(context, row, tracker.findIssue(row.ticket_id)));
  if (known) return note(context, row, tracker, known);
  const marker = issueMarker(tenant_id, `${engine}/${finding_id}`);
  const found = await released(context, row, tracker.findByMarker(marker));
  const made = found ?? (await make(context, row, tracker, findingIssue(marker, record, context.services.config.PUBLIC_URL)));
  return note(context, row, tracker, made);
}

/** Links a finding to a ticket that there is. @returns null when the tracker has none of this id. @throws ChannelError; TicketBusy */
export async function findTicket(
  context: EngineContext,
  integration: TrackerRow,
  engine: string,
  findingId: string,
  ticketId: string,
): Promise<OpenedTicket | null> {
  const tracker = trackerOfRow(context, integration);
  const key = await tracker.findIssue(ticketId);
  return key === null ? null : note(context, await claim(context, integration._id, engine, findingId), tracker, key);
}

async function claim(context: EngineContext, integrationId: string, engine: string, findingId: string): Promise<TicketRow> {
  const now = context.services.clock.now();
  const _id = ticketRowId(context.auth.tenant_id, integrationId, engine, findingId);
  const free = { _id, $or: [{ claimed_until: null }, { claimed_until: { $lt: now } }] };
  const taken = {
    $set: { integration_id: integrationId, engine, finding_id: findingId, claimed_until: new Date(now.getTime() + CLAIM_MS) },
    $setOnInsert: { ticket_id: null, status_at: null },
  };
  try {
    return (await context.collection(tickets).findAndUpdate(free, taken, { upsert: true, returnNew: true }))!;
  } catch (error) {
    if (error instanceof mongo.MongoServerError && error.code === 11_000) throw new TicketBusy();
    throw error;
  }
}

const release = (context: EngineContext, { _id, claimed_until }: TicketRow) =>
  context.collection(tickets).update({ _id, claimed_until }, { $set: { claimed_until: null } });

/** What the tracker answers to a question; the claim ends when it does not, because nothing was made. */
async function released<T>(context: EngineContext, row: TicketRow, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    await release(context, row);
    throw error;
  }
}

/** Makes the ticket. The claim outlives an answer that was lost: the ticket may be there, and the next try finds it. */
async function make(context: EngineContext, row: TicketRow, tracker: Tracker, issue: NewIssue): Promise<string> {
  try {
    return await tracker.create(issue);
  } catch (error) {
    if (!(error instanceof ChannelError && error.retry)) await release(context, row);
    throw error;
  }
}

async function note(context: EngineContext, { _id }: TicketRow, tracker: Tracker, key: string): Promise<OpenedTicket> {
  await context.collection(tickets).update({ _id }, { $set: { ticket_id: key, claimed_until: null } });
  return { ticket_id: key, ticket_url: tracker.urlOf(key) };
}
