import { ConnectionRefused, type OrganizationAccount, type Target } from '../types.js';
import { callAws } from './client.js';
import { assertOfAccount, DENIED, homeOf, keyOf, type AwsCollectorOptions } from './key.js';

const PERMISSION = 'organizations:ListAccounts';
/** Pages of a list: an organization of AWS has 50,000 accounts at most, 20 of a page. */
const MOST_PAGES = 2_600;

/** Where the organizations of a partition are asked, in the partition of a region. */
function placeOf(region: string): string {
  if (region.startsWith('cn-')) return 'cn-northwest-1';
  return region.startsWith('us-gov-') ? 'us-gov-west-1' : 'us-east-1';
}

interface Page {
  readonly Accounts?: readonly { readonly Id?: string; readonly Name?: string; readonly Status?: string }[];
  readonly NextToken?: string;
}

/** The accounts of the organization of a management account, or of one that it has delegated their administration to (AWS Organizations, ListAccounts). */
export async function* organizationOf(
  options: AwsCollectorOptions,
  target: Target,
  signal: AbortSignal,
): AsyncGenerator<OrganizationAccount> {
  const home = homeOf(target);
  const key = await keyOf(options, target, home, signal);
  await assertOfAccount(options, target, home, key, signal);
  let token: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const call = {
      service: 'organizations',
      method: 'POST',
      path: '/',
      headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AWSOrganizationsV20161128.ListAccounts' },
      body: JSON.stringify({ MaxResults: 20, ...(token !== undefined && { NextToken: token }) }),
    } as const;
    const { status, code, body } = await callAws(options, call, placeOf(home), key, signal);
    if (code !== null && DENIED.test(code)) throw new ConnectionRefused(`The permission ${PERMISSION} is missing.`);
    if (status !== 200) throw new ConnectionRefused(`AWS does not list the accounts of an organization: it answered ${code ?? status}.`);
    const { Accounts = [], NextToken } = JSON.parse(body) as Page;
    for (const { Id, Name, Status } of Accounts)
      if (Id !== undefined) yield { account_id: Id, name: Name ?? Id, isActive: Status === 'ACTIVE' };
    if (NextToken === undefined) return;
    token = NextToken;
  }
  throw new ConnectionRefused('AWS gives the accounts of the organization no end.');
}
