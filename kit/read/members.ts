import type { Role } from '../../schema/permissions.js';
import type { EngineContext } from '../engine/context.js';
import { defineReadOperation, readModel, type ReadModel } from './read-model.js';

const model: ReadModel = { name: 'members', engine: 'identity' };

/** What other engines read of a member of the caller's tenant. */
export interface ReadMember {
  user_id: string;
  email: string;
  role: Role;
}

const members = defineReadOperation<{ members: readonly string[] }, ReadMember[]>(
  model,
  'query($members: [String!]!) { result: members_model(members: $members) { user_id email role } }',
);

/**
 * The members of the caller's tenant behind e-mail addresses and user ids, those that can sign in; others are left out.
 * @param named at most 100
 * @throws as `readModel`
 */
export const readMembers = (context: EngineContext, named: readonly string[]): Promise<ReadMember[]> =>
  named.length === 0 ? Promise.resolve([]) : readModel(context, members, { members: named });
