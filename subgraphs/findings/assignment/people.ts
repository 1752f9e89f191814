import { permissionsOf } from '../../../schema/permissions.js';
import { invalid } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { FindingFacts } from '../../../kit/engine/finding-facts.js';
import { readMembers, type ReadMember } from '../../../kit/read/members.js';

const mayRead = ({ role }: ReadMember, { permission }: Pick<FindingFacts, 'permission'>): boolean =>
  permissionsOf(role).includes(permission);

/**
 * The address of the member who is to work on findings of these engines.
 * @param named an e-mail address or the id of a user
 * @throws PalisadeError VALIDATION_ERROR when that is nobody, or nobody who may read them
 */
export async function assigneeOf(context: EngineContext, engines: readonly FindingFacts[], named: string): Promise<string> {
  const [member] = await readMembers(context, [named]);
  if (!member) throw invalid([{ path: 'assignee', message: 'must be a member of the tenant' }]);
  const closed = engines.find((facts) => !mayRead(member, facts));
  if (closed) throw invalid([{ path: 'assignee', message: `may not read findings of ${closed.viewSegment}` }]);
  return member.email;
}

/** An address behind an @ that no part of a word stands before. */
const MENTION = /(?<![\p{L}\p{N}._%+-])@([\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}.-]{1,190}[\p{L}\p{N}])/gu;
/** People whom one comment tells, at most. */
const MOST = 20;

/** The members whom a text mentions and who may read findings of an engine. */
export async function mentionedIn(context: EngineContext, facts: FindingFacts, text: string): Promise<ReadMember[]> {
  const named = [...new Set([...text.matchAll(MENTION)].map(([, address]) => address!.toLowerCase()))].slice(0, MOST);
  return (await readMembers(context, named)).filter((member) => mayRead(member, facts));
}
