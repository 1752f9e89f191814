import type { AuditAction } from '../../../kit/audit/entry.js';
import type { Provider } from '../../../schema/model.js';
import { conflict, invalid, notFound, preconditionFailed } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { externalIdOf } from '../external-id.js';
import { sealCredential } from './credential.js';
import { checkAccountId, checkCredential, checkName, checkScope, checkTags, type CloudAccountInput } from './input.js';
import { cloudAccountRowId, cloudAccounts, type CloudAccountRow } from './records.js';

/** Accounts that a tenant may have connected. */
export const MAX_ACCOUNTS = 1_000;
const DUPLICATE_KEY = 11_000;
const NOT_TRIED = 'the connection has not been tried yet: validate it';
/** Providers whose roles are bound to an external id. */
export const WITH_EXTERNAL_ID: readonly Provider[] = ['aws', 'alicloud'];

/** An account as it may be seen: neither its credential nor the kind of it is (decision 31). */
export const view = ({ sealed_credential: _, _id, tenant_id: _tenant, tags, ...shown }: CloudAccountRow) => ({
  ...shown,
  tags: Object.entries(tags).map(([name, value]) => ({ name, value })),
});
export type CloudAccountView = ReturnType<typeof view>;

export interface AccountListArguments extends PageArguments {
  provider?: Provider[] | null;
  state?: CloudAccountRow['state'][] | null;
}

export async function listCloudAccounts(context: EngineContext, args: AccountListArguments) {
  const window = pageWindow(args);
  const rows = context.collection(cloudAccounts);
  const condition = { ...(args.provider && { provider: { $in: args.provider } }), ...(args.state && { state: { $in: args.state } }) };
  const [items, total] = await Promise.all([
    rows.find(condition, { sort: { account_id: 1 }, skip: window.skip, limit: window.limit }),
    rows.count(condition),
  ]);
  return toPage(items.map(view), total, window);
}

export const findRow = (context: EngineContext, accountId: string, transaction?: TransactionOf): Promise<CloudAccountRow | null> =>
  context.collection(cloudAccounts).findOne({ _id: cloudAccountRowId(context.auth.tenant_id, accountId) }, transaction && { transaction });

export async function findCloudAccount(context: EngineContext, accountId: string): Promise<CloudAccountView | null> {
  const row = await findRow(context, accountId);
  return row && view(row);
}

/**
 * Connects an account; one that was disconnected is connected again.
 * @throws PalisadeError VALIDATION_ERROR; CONFLICT when it is connected already
 */
export async function connectAccount(context: EngineContext, input: CloudAccountInput): Promise<CloudAccountView> {
  const { auth, services } = context;
  const provider = input.provider!;
  const account_id = checkAccountId(provider, input.account_id!);
  const _id = cloudAccountRowId(auth.tenant_id, account_id);
  const name = checkName(input.name ?? account_id);
  const scope = checkScope(provider, input.scope);
  const tags = checkTags(input.tags);
  const credential = checkCredential(context, provider, account_id, input.connection ?? {});
  const rows = context.collection(cloudAccounts);
  const before = await rows.findOne({ _id });
  if (before && before.state !== 'disconnected') throw conflict('The account is connected already');
  if (!before && (await rows.count({ state: { $ne: 'disconnected' } })) >= MAX_ACCOUNTS)
    throw invalid([{ path: 'account_id', message: `a tenant may have ${MAX_ACCOUNTS} accounts connected` }]);
  const isBound = credential.method === 'role' && WITH_EXTERNAL_ID.includes(provider);
  const now = services.clock.now();
  const row: CloudAccountRow = {
    _id,
    tenant_id: auth.tenant_id,
    account_id,
    provider,
    name,
    state: 'degraded',
    scope,
    tags,
    sealed_credential: sealCredential(services.masterKey, _id, credential),
    external_id: isBound ? await externalIdOf(context) : null,
    permissions_granted: [],
    permissions_missing: [],
    validated_at: null,
    problem: NOT_TRIED,
    last_scan_at: null,
    created_by: auth.email,
    created_at: now,
    updated_at: now,
    version: (before?.version ?? 0) + 1,
  };
  try {
    await context.transaction(async (transaction) => {
      // one that is on its way out is not there any more, or waits to be removed
      if (before) await rows.remove({ _id, version: before.version }, { transaction });
      await rows.insert(row, { transaction });
      await audit(context, transaction, 'cloud_account.connect', row);
    });
  } catch (error) {
    if ((error as { code?: number }).code === DUPLICATE_KEY) throw conflict('The account is connected already');
    throw error;
  }
  return view(row);
}

/**
 * Changes an account: its name, what of it is scanned, whether it is paused, and what lets in. A new credential has to be tried anew.
 * @throws PalisadeError NOT_FOUND; CONFLICT when it is disconnected or was changed meanwhile; PRECONDITION_FAILED; VALIDATION_ERROR
 */
export async function changeAccount(
  context: EngineContext,
  accountId: string,
  input: CloudAccountInput,
  expectedVersion: number | null,
): Promise<CloudAccountView> {
  const { services } = context;
  const before = await findRow(context, accountId);
  if (!before) throw notFound('Cloud account');
  if (expectedVersion !== null && expectedVersion !== before.version)
    throw preconditionFailed(`The account is at version ${before.version}`);
  if (before.state === 'disconnected') throw conflict('The account is disconnected: connect it again');
  const credential = input.connection && checkCredential(context, before.provider, accountId, input.connection);
  const tried = credential ? { permissions_granted: [], permissions_missing: [], validated_at: null, problem: NOT_TRIED } : {};
  const kept = { ...before, ...tried };
  const change: Partial<CloudAccountRow> = {
    ...(input.name != null && { name: checkName(input.name) }),
    ...(input.scope && { scope: checkScope(before.provider, { ...before.scope, ...input.scope }) }),
    ...(input.tags && { tags: checkTags(input.tags) }),
    ...(credential && { sealed_credential: sealCredential(services.masterKey, before._id, credential), ...tried }),
    ...(credential?.method === 'role' && WITH_EXTERNAL_ID.includes(before.provider) && { external_id: await externalIdOf(context) }),
    state: input.state === 'paused' || (before.state === 'paused' && input.state == null) ? 'paused' : stateOf(kept),
    updated_at: services.clock.now(),
    version: before.version + 1,
  };
  return context.transaction(async (transaction) => {
    const same = { _id: before._id, version: before.version };
    const after = await context.collection(cloudAccounts).findAndUpdate(same, { $set: change }, { transaction, returnNew: true });
    if (!after) throw conflict('The account was changed meanwhile; read it again');
    const fields = (['name', 'scope', 'tags', 'state', 'connection'] as const).filter((field) => input[field] != null);
    await audit(context, transaction, 'cloud_account.update', after, { fields });
    return view(after);
  });
}

/** What an account is while it is not paused: connected when its connection was tried and nothing is missing. */
export const stateOf = ({
  problem,
  permissions_missing,
}: Pick<CloudAccountRow, 'problem' | 'permissions_missing'>): CloudAccountRow['state'] =>
  problem === null && permissions_missing.length === 0 ? 'connected' : 'degraded';

export const audit = (
  { auth, audit: append }: EngineContext,
  transaction: TransactionOf,
  action: AuditAction,
  { account_id, provider, name }: Pick<CloudAccountRow, 'account_id' | 'provider' | 'name'>,
  more: Record<string, unknown> = {},
) =>
  append(transaction, {
    action,
    actor_email: auth.email,
    target: `cloud_account:${account_id}`,
    result: 'success',
    detail: { provider, name, ...more },
  });
