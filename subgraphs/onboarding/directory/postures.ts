import { SEVERITIES, type Provider, type Severity } from '../../../schema/model.js';
import { PalisadeError } from '../../../kit/base/errors.js';
import { createTimeSlice } from '../../../kit/base/time-slice.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { defineOperation, runOperation } from '../../../kit/engine/operation.js';
import { cellsOf, findingCounters, type Cell } from '../../../kit/findings/counters.js';
import { keptUntilChange } from '../../../kit/findings/kept.js';
import { readableEngines } from '../../../kit/findings/readers.js';
import { cloudAccounts } from '../accounts/records.js';

/** What is known of an account, connected or not. */
export interface AccountPosture {
  account_id: string;
  /** The name that its connection has; null where it is not connected. */
  name: string | null;
  /** Null where nothing but resources of several clouds names it. */
  provider: Provider | null;
  connected: boolean;
  tags: Record<string, string>;
  /** Null where the inventory did not answer, or the caller may not read it. */
  resources: number | null;
  /** Open findings in the engines that the caller may read. */
  open_findings: Record<Severity, number> & { total: number };
}

/** The accounts that a tenant's findings, resources or connections name. */
export interface Directory {
  accounts: AccountPosture[];
  restrictedEngines: string[];
  degradedEngines: string[];
}

const OPEN: readonly string[] = ['OPEN', 'IN_PROGRESS'];
const inventory = defineOperation<Record<string, never>, { by_account: { value: string | null; count: number }[] }>(
  'di',
  '{ result: inventory_summary { by_account { value count } } }',
);

const none = (): AccountPosture['open_findings'] => ({
  ...(Object.fromEntries(SEVERITIES.map((name) => [name, 0])) as Record<Severity, number>),
  total: 0,
});

/** Every account that is named, by id; its figures come from counters, so that they cost the same however many findings there are. */
export async function readDirectory(context: EngineContext): Promise<Directory> {
  const { services, auth } = context;
  const accounts = new Map<string, AccountPosture>();
  const account = (account_id: string): AccountPosture => {
    const known = accounts.get(account_id) ?? {
      ...{ account_id, name: null, provider: null, connected: false, tags: {}, resources: 0, open_findings: none() },
    };
    accounts.set(account_id, known);
    return known;
  };
  let isAway = false;
  const estate = await runOperation(context, inventory, {}).catch((error: unknown) => {
    // who may not read the inventory is told of no resources
    isAway = !(error instanceof PalisadeError && error.code === 'FORBIDDEN');
    return null;
  });
  for (const { value, count } of estate?.by_account ?? []) if (value !== null) account(value).resources = count;
  const readable = new Set(readableEngines(services.findingEngines, auth));
  const pause = createTimeSlice();
  for (const engine of readable) {
    for (const cell of await cellsByAccount(context, engine)) {
      await pause();
      const one = account(cell.account_id);
      one.provider ??= cell.provider;
      if (!OPEN.includes(cell.status)) continue;
      one.open_findings[cell.severity] += cell.count;
      one.open_findings.total += cell.count;
    }
  }
  for (const row of await context
    .collection(cloudAccounts)
    .find({ state: { $ne: 'disconnected' } }, { fields: ['account_id', 'name', 'provider', 'tags'] })) {
    const { name, provider, tags } = row;
    Object.assign(account(row.account_id), { name, provider, tags, connected: true });
  }
  if (!estate) for (const one of accounts.values()) one.resources = null;
  return {
    accounts: [...accounts.values()].sort((one, other) => (one.account_id < other.account_id ? -1 : 1)),
    restrictedEngines: services.findingEngines.filter(({ engine }) => !readable.has(engine)).map(({ viewSegment }) => viewSegment),
    degradedEngines: isAway ? ['di'] : [],
  };
}

/**
 * The counters of an engine's findings by account, kept until one of them changes. The ids of their rows begin alike, so that the primary index finds
 * them.
 */
async function cellsByAccount({ services, auth }: EngineContext, engine: string): Promise<(Cell & { account_id: string })[]> {
  const begin = `${auth.tenant_id}|${engine}|account_id|`;
  const database = services.database.tenant(auth.tenant_id).engine(engine);
  return keptUntilChange(database, 'accounts', {}, async () => {
    const rows = await database
      .collection(findingCounters)
      .find({ _id: { $gte: begin, $lt: `${begin}~` } }, { fields: ['value', 'counts'] });
    return rows.flatMap((row) => (row.value ? cellsOf(row).map((cell) => ({ ...cell, account_id: row.value! })) : []));
  });
}
