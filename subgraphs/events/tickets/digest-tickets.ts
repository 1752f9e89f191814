import type { EngineContext } from '../../../kit/engine/context.js';
import type { Digest } from '../channels/digest.js';
import { FindingReader } from '../findings/reader.js';
import type { TrackerRow } from '../integrations/records.js';
import { issueMarker, restIssue } from './issue-text.js';
import { openTicket, trackerOfRow } from './open.js';

/**
 * A ticket for each finding that a digest lists and that has none, and one for the rest of them. Doing it again makes no second one.
 * @throws ChannelError, PalisadeError as finding engines answer
 */
export async function openDigestTickets(context: EngineContext, integration: TrackerRow, digest: Digest): Promise<void> {
  const reader = new FindingReader(context.services, context.auth, context.signal);
  for (const { engine: segment, finding_id } of digest.findings) {
    context.signal.throwIfAborted();
    const held = await reader.held(segment, finding_id);
    if (!held || held.record.ticket) continue;
    const opened = await openTicket(context, integration, held.engine, held.record);
    await reader.setTicket(held.engine, finding_id, { ...opened, integration_id: integration._id });
  }
  if (digest.total > digest.findings.length) await openRest(context, integration, digest);
}

async function openRest(context: EngineContext, integration: TrackerRow, digest: Digest): Promise<void> {
  const tracker = trackerOfRow(context, integration);
  const marker = issueMarker(context.auth.tenant_id, `notification/${digest.id}`);
  if ((await tracker.findByMarker(marker)) === null) await tracker.create(restIssue(marker, digest));
}
