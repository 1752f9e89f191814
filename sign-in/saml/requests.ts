import { createHash, randomBytes } from 'node:crypto';
import type { AuthParts } from '../parts.js';
import { SIGN_IN_TIME } from '../sso/binding.js';
import type { AssertionFacts } from './facts.js';
import { samlAssertions, samlRequests, type SamlRequestRow } from './records.js';
import { SamlRefusal } from './refusal.js';

/** Milliseconds that a browser has to fetch its session after the answer came. */
const CODE_LIFE = 120_000;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');
const DUPLICATE = 11_000;

export type NewSamlRequest = Pick<SamlRequestRow, 'tenant_id' | 'binding' | 'return_to' | 'tester' | 'fresh'>;

/** Notes a sign-in that leaves for its provider. @returns its row; `_id` is an XML id that nobody can guess */
export async function openRequest(parts: AuthParts, input: NewSamlRequest): Promise<SamlRequestRow> {
  const created_at = parts.clock.now();
  const expires_at = new Date(created_at.getTime() + SIGN_IN_TIME * 1000);
  const _id = `_${randomBytes(20).toString('hex')}`;
  const row: SamlRequestRow = { _id, ...input, state: 'open', code_hash: null, assertion: null, settings_at: null, created_at, expires_at };
  await parts.database.system(samlRequests).insert(row);
  return row;
}

/**
 * The open sign-in that a response names. It stays open until a response has been checked: a forged one uses nothing up.
 * @param tenantId of the address that the response came to; null for the shared one, which any tenant's may come to
 * @returns null when there is none, it was answered, is too old, or its answer belongs elsewhere
 */
export function findRequest(parts: AuthParts, id: string, tenantId: string | null): Promise<SamlRequestRow | null> {
  const own = tenantId === null ? {} : { tenant_id: tenantId };
  return parts.database.system(samlRequests).findOne({ _id: id, ...own, state: 'open', expires_at: { $gt: parts.clock.now() } });
}

/** Refused responses of one sign-in that the audit log tells of; a flood of them tells no more. */
const NOTED_REFUSALS = 5;

/** Counts a refused response. @returns whether it is one of the first, which are audited */
export async function countRefusal(parts: AuthParts, { _id }: SamlRequestRow): Promise<boolean> {
  const few = { $or: [{ refusals: null }, { refusals: { $lt: NOTED_REFUSALS } }] };
  return (await parts.database.system(samlRequests).update({ _id, ...few }, { $inc: { refusals: 1 } })).matched === 1;
}

/**
 * Uses a sign-in up for a verified answer, once in all processes, and keeps what the answer says until its browser comes for the session.
 * The assertion is good for this once.
 * @param settings_at `updated_at` of the settings that it was checked under
 * @returns the code with which the browser comes
 * @throws SamlRefusal when the sign-in was answered meanwhile, or the assertion was accepted before
 */
export async function keepAnswer(
  parts: AuthParts,
  row: SamlRequestRow,
  { id, assertion, usable_until }: AssertionFacts,
  settings_at: Date,
): Promise<string> {
  const code = randomBytes(32).toString('base64url');
  const { tenant_id } = row;
  const used = { _id: `${tenant_id}|${sha256(JSON.stringify([assertion.provider, id]))}`, tenant_id, expires_at: usable_until };
  const expires_at = new Date(parts.clock.now().getTime() + CODE_LIFE);
  try {
    await parts.database.transaction(async (transaction) => {
      await parts.database.system(samlAssertions).insert(used, { transaction });
      const answered = { $set: { state: 'answered', code_hash: sha256(code), assertion, settings_at, expires_at } };
      const { matched } = await parts.database.system(samlRequests).update({ _id: row._id, state: 'open' }, answered, { transaction });
      if (matched === 0) throw new SamlRefusal('The sign-in was answered before');
    });
  } catch (error) {
    if ((error as { code?: number }).code === DUPLICATE) throw new SamlRefusal('The assertion was accepted before');
    throw error;
  }
  return code;
}

/** An answered sign-in. */
export type AnsweredRequest = SamlRequestRow & { assertion: NonNullable<SamlRequestRow['assertion']> };

/** The sign-in that a code belongs to; null for any other code. It stays until `endRequest`. */
export async function findAnswered(parts: AuthParts, code: string): Promise<AnsweredRequest | null> {
  const filter = { code_hash: sha256(code), state: 'answered', expires_at: { $gt: parts.clock.now() } };
  const row = await parts.database.system(samlRequests).findOne(filter);
  return row?.assertion ? (row as AnsweredRequest) : null;
}

/** Ends a sign-in. @returns false when it had ended: the code was used by another call */
export async function endRequest(parts: AuthParts, row: SamlRequestRow): Promise<boolean> {
  return (await parts.database.system(samlRequests).remove({ _id: row._id })) === 1;
}
