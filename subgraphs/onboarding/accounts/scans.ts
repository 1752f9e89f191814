import { collectorsOf } from '../../../collectors/index.js';
import { ConnectionRefused, type Collector, type Target } from '../../../collectors/types.js';
import { invalid, type Violation } from '../../../kit/base/errors.js';
import { AccountRefused, type AccountPart } from '../../../kit/engine/account-scans.js';
import type { AccountScans } from '../../../kit/engine/context.js';
import { ownerNow } from '../../../kit/read/owner.js';
import { openAccount } from './connection.js';
import { checkScope } from './input.js';
import { cloudAccountRowId, cloudAccounts, type AccountScope, type CloudAccountRow } from './records.js';
import { findRow } from './service.js';

/** How connected accounts are scanned. */
export const accountScans: AccountScans = {
  async scannable(context, part) {
    const row = await findRow(context, part.account_id);
    const message = refusalOf(row, Boolean(row && collectorsOf(context.services)[row.provider]?.collect));
    if (message !== null || !row) throw invalid([{ path: 'account_id', message: message ?? '' }]);
    checkScope(row.provider, { regions: [...part.regions], services: [...part.services] });
    const outside = [...outsideOf(row.scope, part)];
    if (outside.length > 0) throw invalid(outside);
    return row.provider;
  },

  async collect(context, part, signal) {
    // the rights of whoever asked for it are read again (decision 58)
    const owner = await ownerNow(context, ['scans:create']);
    const row = await findRow(owner, part.account_id);
    const account = openAccount(owner.services, row);
    const message = refusalOf(row, Boolean(account?.collector.collect));
    if (message !== null || !row || !account) throw new AccountRefused(`The account ${message ?? 'is not connected any more'}.`);
    const target: Target = { ...account.target, ...within(row.scope, part) };
    const isWhole = target.regions.length === 0 && target.services.length === 0;
    return { isWhole, lines: linesOf(account.collector, target, signal) };
  },

  async scanned(context, accountId, last_scan_at, transaction) {
    const _id = cloudAccountRowId(context.auth.tenant_id, accountId);
    await context.collection(cloudAccounts).update({ _id }, { $set: { last_scan_at } }, { transaction });
  },
};

async function* linesOf(collector: Collector, target: Target, signal: AbortSignal): AsyncGenerator<string> {
  try {
    for await (const answer of collector.collect!(target, signal)) yield `${JSON.stringify(answer)}\n`;
  } catch (error) {
    throw error instanceof ConnectionRefused ? new AccountRefused(error.message) : error;
  }
}

/** Why an account cannot be scanned; null when it can. An account of another tenant is none. */
function refusalOf(row: CloudAccountRow | null, isAsked: boolean): string | null {
  if (!row || row.state === 'disconnected') return 'is not an account that is connected';
  if (row.state === 'paused') return 'is paused';
  return isAsked ? null : `is one of ${row.provider}, which has no collector in this release`;
}

const PARTS = ['regions', 'services'] as const;

/** What is asked for beyond what the account is scanned for. */
function* outsideOf(scope: AccountScope, part: AccountPart): Iterable<Violation> {
  for (const name of PARTS)
    for (const [n, one] of part[name].entries())
      if (scope[name].length > 0 && !scope[name].includes(one))
        yield { path: `${name}.${n}`, message: 'lies outside of what the account is scanned for' };
}

/** What is scanned of a part: what the account is scanned for may have become less since it was asked for. */
function within(scope: AccountScope, part: AccountPart): Pick<Target, 'regions' | 'services'> {
  const both = (name: (typeof PARTS)[number]): readonly string[] => {
    if (part[name].length === 0) return scope[name];
    const left = scope[name].length === 0 ? part[name] : part[name].filter((one) => scope[name].includes(one));
    if (left.length === 0) throw new AccountRefused(`The account is not scanned any more for any of the ${name} that were asked for.`);
    return left;
  };
  return { regions: both('regions'), services: both('services') };
}
