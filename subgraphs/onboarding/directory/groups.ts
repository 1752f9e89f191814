import { z } from 'zod';
import { SEVERITIES } from '../../../schema/model.js';
import { badRequest, invalid, violationsOf } from '../../../kit/base/errors.js';
import { setMembers } from '../../../kit/base/set-members.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import { readDirectory, type AccountPosture, type Directory } from './postures.js';
import { accountGroups, type AccountGroupRow, type GroupTag } from './records.js';

/** Groups that a tenant may have, and accounts that one may name. */
const MAX_GROUPS = 200;
const MAX_IDS = 1_000;
const GROUP_ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** What a client says of a group. */
export interface AccountGroupInput {
  name: string;
  kind?: AccountGroupRow['kind'] | null;
  account_ids?: string[] | null;
  tag?: GroupTag | null;
}

const schema = z
  .strictObject({
    name: z.string().trim().min(1).max(100),
    kind: z.enum(['business_unit', 'environment', 'other']).default('other'),
    account_ids: z.array(z.string().min(1).max(200)).max(MAX_IDS).optional(),
    tag: z.strictObject({ name: z.string().trim().min(1).max(128), value: z.string().trim().max(256) }).optional(),
  })
  .refine(({ account_ids, tag }) => (account_ids === undefined) !== (tag === undefined), {
    path: ['account_ids'],
    message: 'is to be given, or a tag, and not both',
  });

/** Whether an account is in a group. */
export const isMember = ({ account_ids, tag }: Pick<AccountGroupRow, 'account_ids' | 'tag'>, account: AccountPosture): boolean =>
  tag ? account.tags[tag.name] === tag.value : (account_ids?.includes(account.account_id) ?? false);

/** The groups that an account is in, by id. */
export const groupsOf = (groups: readonly AccountGroupRow[], account: AccountPosture): string[] =>
  groups
    .filter((group) => isMember(group, account))
    .map(({ group_id }) => group_id)
    .sort();

/** The tenant's groups, each with what its accounts have together. */
export async function listGroups(context: EngineContext, args: PageArguments) {
  const window = pageWindow(args);
  const rows = context.collection(accountGroups);
  const [page, total, directory] = await Promise.all([
    rows.find({}, { sort: { group_id: 1 }, skip: window.skip, limit: window.limit }),
    rows.count({}),
    readDirectory(context),
  ]);
  return toPage(
    page.map((group) => view(group, directory)),
    total,
    window,
  );
}

/**
 * Makes a group, or replaces it.
 * @throws PalisadeError BAD_REQUEST for an id that is none; VALIDATION_ERROR
 */
export async function setGroup(context: EngineContext, groupId: string, input: AccountGroupInput) {
  if (!GROUP_ID.test(groupId)) throw badRequest('group_id must be 1 to 64 of a-z 0-9 _ -, and begin with a letter or digit');
  const parsed = schema.safeParse(setMembers(input));
  if (!parsed.success) throw invalid(violationsOf(parsed.error));
  const { name, kind, account_ids, tag } = parsed.data;
  const { auth, services } = context;
  const _id = `${auth.tenant_id}|${groupId}`;
  const now = services.clock.now();
  const ids = account_ids ? [...new Set(account_ids)].sort() : null;
  const set = { group_id: groupId, name, kind, account_ids: ids, tag: tag ?? null, updated_by: auth.email, updated_at: now };
  const row = await context.transaction(async (transaction) => {
    const rows = context.collection(accountGroups);
    if (!(await rows.findOne({ _id }, { transaction })) && (await rows.count({}, { transaction })) >= MAX_GROUPS)
      throw invalid([{ path: 'group_id', message: `a tenant may have ${MAX_GROUPS} groups` }]);
    const change = { $set: set, $setOnInsert: { created_at: now } };
    const stored = await rows.findAndUpdate({ _id }, change, { upsert: true, returnNew: true, transaction });
    await context.audit(transaction, {
      action: 'account_group.set',
      actor_email: auth.email,
      target: `account_group:${groupId}`,
      result: 'success',
      detail: { name, kind, accounts: ids?.length ?? null, tag: tag ?? null },
    });
    return stored!;
  });
  return view(row, await readDirectory(context));
}

function view(group: AccountGroupRow, { accounts, restrictedEngines, degradedEngines }: Directory) {
  const members = accounts.filter((account) => isMember(group, account));
  const sum = (of: (account: AccountPosture) => number): number => members.reduce((total, account) => total + of(account), 0);
  const open_findings = Object.fromEntries(
    ([...SEVERITIES, 'total'] as const).map((name) => [name, sum((account) => account.open_findings[name])]),
  );
  return {
    ...group,
    account_ids: group.account_ids ?? members.map(({ account_id }) => account_id),
    accounts: members.length,
    open_findings,
    restrictedEngines,
    degradedEngines,
  };
}
