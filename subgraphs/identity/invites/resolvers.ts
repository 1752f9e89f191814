import type { IResolvers } from '@graphql-tools/utils';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { PageArguments } from '../../../kit/store/paging.js';
import { stateOf, type InviteRow, type InviteState } from '../../../accounts/invites.js';
import { createInvite, listInvites, reissueInvite, revokeInvite } from './service.js';

export const resolvers: IResolvers<unknown, EngineContext> = {
  Query: {
    invites: (_, args: PageArguments & { state?: InviteState[] | null }, context) => listInvites(context, args),
  },
  Mutation: {
    create_invite: (_, args: { input: unknown }, context) => createInvite(context, args.input),
    reissue_invite: (_, args: { id: string }, context) => reissueInvite(context, args.id),
    revoke_invite: (_, args: { id: string }, context) => revokeInvite(context, args.id),
  },
  Invite: {
    id: (invite: InviteRow) => invite.invite_id,
    state: (invite: InviteRow, _args, context) => stateOf(invite, context.services.clock.now()),
    invited_by: (invite: InviteRow) => invite.invited_by_email,
  },
};
