import { accessTypes } from '../../../catalog/access/needed.js';
import { accessVersion } from '../../../catalog/access/version.js';
import type { EngineContext, IngestSinks } from '../../../kit/engine/context.js';
import { withEstate } from '../../../kit/read/estate.js';
import type { RowOf } from '../../../kit/store/collection.js';
import { deriveLatest, type DerivedWrite } from '../../../kit/engine/kept-rows.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { PROVIDERS, type Provider } from '../../../schema/model.js';
import { countedValues } from '../counters.js';
import type { EdgesReply, EdgesRequest } from './edges-thread.js';
import { accessDerivations, accessDue, placeOf } from './records.js';
import { KeptAccess } from './kept.js';

/** What of a provider is to be derived: some accounts, or all where they are null. */
interface Due {
  readonly provider: Provider;
  readonly accounts: readonly string[] | null;
  readonly rows: readonly Pick<RowOf<typeof accessDue>, '_id' | 'no'>[];
}

/**
 * Brings the edges of access in step with the policies and bindings of a tenant, over the accounts of which something was told. What has not
 * changed is not written; killed in the middle, what is left is still due.
 */
export const deriveAccess: IngestSinks['derive'] = async (context) => {
  for (const due of await allDue(context)) {
    context.signal.throwIfAborted();
    await deriveLatest(context, derivationOf(due.provider), (write) => deriveProvider(context, due, write));
  }
};

async function allDue(context: EngineContext): Promise<Due[]> {
  const rows = await context.collection(accessDue).find({});
  const derivations = await context.collection(accessDerivations).find({}, { fields: ['provider', 'version'] });
  const versions = new Map(derivations.map(({ provider, version }) => [provider, version]));
  const present = await countedValues(context.services.database.tenant(context.auth.tenant_id), 'provider');
  const found: Due[] = [];
  for (const provider of PROVIDERS) {
    const own = rows.filter((row) => row.provider === provider);
    const isOther = versions.get(provider) !== accessVersion();
    const accounts = own.map(({ account }) => account).filter((account) => account !== null);
    const isAll = isOther || accounts.length < own.length;
    if (own.length > 0 || (isOther && present.has(provider))) found.push({ provider, accounts: isAll ? null : accounts, rows: own });
  }
  return found;
}

const derivationOf = (provider: Provider): string => `access|${provider}`;

async function deriveProvider(context: EngineContext, due: Due, write: DerivedWrite): Promise<void> {
  const { provider, accounts } = due;
  const places = accounts && [...new Set(['', ...accounts])].map((account) => placeOf(provider, account));
  const kept = await KeptAccess.read(context.services.database.tenant(context.auth.tenant_id), provider, places);
  await withEstate<void, EdgesRequest, EdgesReply>(context, 'edges', accessTypes(provider), async (thread) => {
    for (;;) {
      context.signal.throwIfAborted();
      const page = await thread.ask({ next: { provider, accounts } });
      if (page === null) return;
      const changes = kept.changesTo(page.edges, page.nodes);
      if (changes !== null) await write(changes);
    }
  });
  for (const removal of kept.removals()) await write(removal);
  await write((transaction) => end(context, due, transaction));
}

/** What was told while the edges were derived stays due. */
async function end(context: EngineContext, { provider, rows }: Due, transaction: TransactionOf): Promise<void> {
  const due = context.collection(accessDue);
  const now = await due.find({ _id: { $in: rows.map(({ _id }) => _id) } }, { fields: ['no'], transaction });
  const nos = new Map(rows.map(({ _id, no }) => [_id, no]));
  const done = now.filter(({ _id, no }) => nos.get(_id) === no).map(({ _id }) => _id);
  await due.remove({ _id: { $in: done } }, { transaction });
  const update = { $set: { provider, version: accessVersion() } };
  const _id = `${context.auth.tenant_id}|${provider}`;
  await context.collection(accessDerivations).bulkUpdate([{ _id, update, upsert: true }], { transaction });
}
