import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema, readSharedSchema } from '../../../kit/engine/read-schema.js';
import { DISCONNECT, disconnectAccount, disconnectJob } from './disconnect.js';
import type { CloudAccountInput } from './input.js';
import { callPaces, cloudAccounts } from './records.js';
import { changeAccount, connectAccount, findCloudAccount, listCloudAccounts, type AccountListArguments } from './service.js';
import { VALIDATE, validateAccount, validateJob } from './validate.js';

const tag = 'cloud-accounts';

/** The cloud accounts that are connected. */
export const cloudAccountsPart: EnginePart = {
  prefixes: ['cloud-accounts'],
  typeDefs: readSharedSchema('job') + readSchema(import.meta.url),
  resolvers: {
    Query: {
      cloud_accounts: (_, args: AccountListArguments, context) => listCloudAccounts(context, args),
      cloud_account: (_, args: { account_id: string }, context) => findCloudAccount(context, args.account_id),
    },
    Mutation: {
      connect_cloud_account: (_, args: { input: CloudAccountInput }, context) => connectAccount(context, args.input),
      update_cloud_account: (_, args: { account_id: string; version?: number | null; input: CloudAccountInput }, context) =>
        changeAccount(context, args.account_id, args.input, args.version ?? null),
      disconnect_cloud_account: (_, args: { account_id: string; purge?: boolean | null }, context) =>
        disconnectAccount(context, args.account_id, args.purge ?? true),
      validate_cloud_account: (_, args: { account_id: string }, context) => validateAccount(context, args.account_id),
    },
  },
  routes: [
    { method: 'GET', path: '/cloud-accounts', field: 'cloud_accounts', tag },
    { method: 'POST', path: '/cloud-accounts', field: 'connect_cloud_account', status: 201, tag },
    { method: 'GET', path: '/cloud-accounts/{account_id}', field: 'cloud_account', tag },
    {
      method: 'PATCH',
      path: '/cloud-accounts/{account_id}',
      field: 'update_cloud_account',
      headers: { 'if-match': 'version' },
      tag,
    },
    { method: 'DELETE', path: '/cloud-accounts/{account_id}', field: 'disconnect_cloud_account', status: 202, tag },
    { method: 'POST', path: '/cloud-accounts/{account_id}/validate', field: 'validate_cloud_account', status: 202, tag },
  ],
  collections: [cloudAccounts, callPaces],
  jobs: { [DISCONNECT]: disconnectJob, [VALIDATE]: validateJob() },
};
