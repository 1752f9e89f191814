import { entriesOf } from '../../../kit/audit/entries.js';
import { auditLog } from '../../../kit/audit/audit.js';
import { invalid } from '../../../kit/base/errors.js';
import { publicOrigin } from '../../../kit/base/public-origin.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { FindingFacts } from '../../../kit/engine/finding-facts.js';
import { findingTarget } from '../../../kit/findings/row.js';
import { triageFindings } from '../../../kit/findings/triage/write.js';
import { queueMail } from '../../../kit/work/mail.js';
import { holderOf } from '../owner.js';
import { MAX_TEXT } from './assign.js';
import { mentionedIn } from './people.js';

/**
 * Adds a comment to the timeline of a finding, and tells those whom it mentions.
 * @throws PalisadeError NOT_FOUND, VALIDATION_ERROR
 */
export async function comment(context: EngineContext, segment: string, id: string, input: { text: string }) {
  const { services, auth } = context;
  const text = input.text.trim();
  if (text === '' || text.length > MAX_TEXT) throw invalid([{ path: 'text', message: `must have 1 to ${MAX_TEXT} characters` }]);
  const facts = await holderOf(context, segment, id);
  const told = services.mailer.configured ? await mentionedIn(context, facts, text) : [];
  const entry = await context.transaction(async (transaction) => {
    const batch = { ids: [id], asked: { note: text }, at: services.clock.now(), allOrNothing: true };
    await triageFindings(context, facts, batch, transaction);
    for (const { email } of told) await queueMail(services, transaction, auth, mentionMail(context, facts, id, email, text));
    const target = findingTarget(facts.engine, id);
    const [last] = await context.collection(auditLog).find({ target }, { sort: { seq: -1 }, limit: 1, transaction });
    return entriesOf(last!)[0]!;
  });
  services.jobs.wake();
  const { seq, action, timestamp, actor_email } = entry;
  return { seq, action, at: timestamp, actor_email, from: null, to: null, note: text, assignee: null, due_at: null, scan_run_id: null };
}

function mentionMail({ auth, services }: EngineContext, { viewSegment }: FindingFacts, id: string, to: string, text: string) {
  const path = `/api/v1/views/finding/${viewSegment}/${id}`;
  return {
    to,
    subject: 'Palisade: you are mentioned in a comment on a finding',
    text: `${auth.email} mentions you in a comment on a finding:\n\n${text}\n\n${publicOrigin(services.config)}${path}\n`,
  };
}
