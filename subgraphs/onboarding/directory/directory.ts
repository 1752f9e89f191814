import type { Provider } from '../../../schema/model.js';
import { badRequest } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import { accountGroups } from './records.js';
import { groupsOf, isMember } from './groups.js';
import { readDirectory, type AccountPosture } from './postures.js';

export interface DirectoryArguments extends PageArguments {
  provider?: Provider[] | null;
  connected?: boolean | null;
  group?: string[] | null;
  q?: string | null;
  sort?: string | null;
}

type Compare = (one: AccountPosture, other: AccountPosture) => number;
const worst: Compare = ({ open_findings: one }, { open_findings: other }) =>
  one.critical - other.critical || one.high - other.high || one.total - other.total;
/** What the directory can be sorted by; ties are broken by the id. */
const SORTS: Readonly<Record<string, Compare>> = {
  account_id: () => 0,
  severity: worst,
  open_findings: (one, other) => one.open_findings.total - other.open_findings.total,
  resources: (one, other) => (one.resources ?? 0) - (other.resources ?? 0),
};

function order(sort: string): Compare {
  const compare = SORTS[sort.replace(/^-/, '')];
  if (!compare) throw badRequest(`sort must be one of ${Object.keys(SORTS).join(', ')}, with - in front for descending`);
  return sort.startsWith('-') ? (one, other) => compare(other, one) : compare;
}

/** The accounts that a tenant has, whoever names them. @throws PalisadeError BAD_REQUEST for a sort that is none */
export async function listAccounts(context: EngineContext, args: DirectoryArguments) {
  const window = pageWindow(args);
  const compare = order(args.sort ?? 'account_id');
  const [{ accounts, ...missing }, groups] = await Promise.all([readDirectory(context), context.collection(accountGroups).find({})]);
  const wanted = args.group && groups.filter(({ group_id }) => args.group!.includes(group_id));
  const q = args.q?.toLowerCase();
  const found = accounts.filter(
    (account) =>
      (!args.provider || (account.provider !== null && args.provider.includes(account.provider))) &&
      (args.connected == null || account.connected === args.connected) &&
      (!wanted || wanted.some((group) => isMember(group, account))) &&
      (!q || account.account_id.toLowerCase().includes(q) || account.name?.toLowerCase().includes(q) === true),
  );
  // the directory is sorted by id, and sorting keeps that among equals
  const page = found.sort(compare).slice(window.skip, window.skip + window.limit);
  const items = page.map((account) => ({ ...account, groups: groupsOf(groups, account) }));
  return { ...toPage(items, found.length, window), ...missing };
}
