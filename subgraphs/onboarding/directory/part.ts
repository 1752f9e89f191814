import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import type { PageArguments } from '../../../kit/store/paging.js';
import { listAccounts, type DirectoryArguments } from './directory.js';
import { listGroups, setGroup, type AccountGroupInput } from './groups.js';
import { accountGroups } from './records.js';

const tag = 'accounts';

/** The accounts that a tenant has, connected or not, and their groups. */
export const directoryPart: EnginePart = {
  prefixes: ['accounts'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: {
      accounts: (_, args: DirectoryArguments, context) => listAccounts(context, args),
      account_groups: (_, args: PageArguments, context) => listGroups(context, args),
    },
    Mutation: {
      set_account_group: (_, args: { group_id: string; input: AccountGroupInput }, context) => setGroup(context, args.group_id, args.input),
    },
  },
  routes: [
    { method: 'GET', path: '/accounts', field: 'accounts', tag },
    { method: 'GET', path: '/accounts/groups', field: 'account_groups', tag },
    { method: 'PUT', path: '/accounts/groups/{group_id}', field: 'set_account_group', tag },
  ],
  collections: [accountGroups],
};
