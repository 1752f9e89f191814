import { collectorsOf } from '../../../collectors/index.js';
import { ConnectionRefused, type OrganizationAccount } from '../../../collectors/types.js';
import { conflict, invalid } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { JobFailure, type JobHandler } from '../../../kit/engine/job.js';
import { ownerNow } from '../../../kit/read/owner.js';
import { jobView } from '../../../kit/work/followed-jobs.js';
import { openAccount } from '../accounts/connection.js';
import type { Credential } from '../accounts/credential.js';
import { cloudAccounts, type CloudAccountRow } from '../accounts/records.js';
import { audit, findRow } from '../accounts/service.js';

export const DISCOVER = 'onboarding.organization';

/** Accounts that are told: as many as a tenant may connect, and some to choose from. */
const MOST = 5_000;

/**
 * Lists the accounts of the organization that a connected account can see, in the background, and proposes how each can be connected.
 * @throws PalisadeError VALIDATION_ERROR for an account that is not the tenant's, or whose provider's organizations nobody can list; CONFLICT when it is
 *   disconnected
 */
export async function discoverOrganization(context: EngineContext, { account_id }: { account_id: string }) {
  const { auth, services } = context;
  const row = await findRow(context, account_id);
  if (!row) throw invalid([{ path: 'account_id', message: 'is not an account that is connected' }]);
  if (row.state === 'disconnected') throw conflict('The account is disconnected: connect it again');
  if (!collectorsOf(services)[row.provider]?.accounts)
    throw invalid([{ path: 'account_id', message: `is one of ${row.provider}, whose organizations cannot be listed in this release` }]);
  const job = await context.transaction(async (transaction) => {
    await audit(context, transaction, 'cloud_account.discover', row);
    return services.jobs.addFollowed(transaction, auth, DISCOVER, { account_id }, { readers: ['accounts:read'], total: null });
  });
  services.jobs.wake();
  return jobView(job);
}

/** Asks the provider, and keeps the proposals as the result of the job. */
export const discoverJob: JobHandler = {
  async run(job) {
    const { context, payload } = job;
    await ownerNow(context, ['accounts:write']);
    const row = await findRow(context, String(payload['account_id']));
    const account = openAccount(context.services, row);
    if (!row || !account) throw new JobFailure('The account is not connected any more.');
    const { collector, target, credential } = account;
    if (!collector.accounts) throw new JobFailure('The account belongs to no organization that can be listed.');
    const found: OrganizationAccount[] = [];
    try {
      for await (const account of collector.accounts(target, context.signal)) {
        job.alive();
        if (found.length >= MOST) throw new JobFailure(`The organization has more than ${MOST} accounts.`);
        found.push(account);
      }
    } catch (error) {
      throw error instanceof ConnectionRefused ? new JobFailure(error.message) : error;
    }
    const known = await connectedOf(context, found);
    const accounts = found.map((account) => proposalOf(row, credential, account, known.has(account.account_id)));
    await context.transaction((transaction) =>
      job.advance(transaction, { done: accounts.length, position: 'listed', result: { provider: row.provider, accounts } }),
    );
  },
  async giveUp({ context }, reason) {
    context.services.logger.error({ tenant: context.auth.tenant_id, reason }, 'an organization could not be listed');
  },
};

async function connectedOf(context: EngineContext, found: readonly OrganizationAccount[]): Promise<Set<string>> {
  const condition = { account_id: { $in: found.map(({ account_id }) => account_id) }, state: { $ne: 'disconnected' } };
  const rows = await context.collection(cloudAccounts).find(condition, { fields: ['account_id'] });
  return new Set(rows.map(({ account_id }) => account_id));
}

/**
 * How an account can be connected: the body of POST /cloud-accounts, as far as it is known. By a role, it is the one of the same name there; a secret is never
 * told, so whoever connects puts one in.
 */
function proposalOf(
  { provider }: Pick<CloudAccountRow, 'provider'>,
  { method, values }: Credential,
  { account_id, name, isActive, path = [] }: OrganizationAccount,
  isConnected: boolean,
) {
  const role_arn = method === 'role' ? values['role_arn']?.replace(/::\d+:/, `::${account_id}:`) : undefined;
  return {
    account_id,
    name,
    path,
    state: isConnected ? 'connected' : isActive ? 'proposed' : 'inactive',
    connector:
      isConnected || !isActive
        ? null
        : { provider, account_id, name: name.slice(0, 100), connection: role_arn === undefined ? null : { role: { role_arn } } },
  };
}
