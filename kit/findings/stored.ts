import type { TenantDatabase } from '../store/database.js';
import type { TransactionOf } from '../store/query.js';
import { StoredById, type Sought } from './also-ids.js';
import type { FindingChanges } from './changes.js';
import { formerOwnerOf } from './former-owner.js';
import { MERGE_FIELDS, type StoredFacts } from './merge.js';
import { findingRowId, findings } from './row.js';

/** The stored findings of one engine and tenant, as observations find them: by any id that they have for them. */
export class StoredFindings {
  private readonly formerOwner: string | null;

  constructor(
    private readonly tenant: TenantDatabase,
    private readonly engine: string,
  ) {
    this.formerOwner = formerOwnerOf(engine);
  }

  /** The findings of observations, by the observation's id; those that have none are left out. */
  async of(observations: readonly Sought[], transaction?: TransactionOf): Promise<Map<string, StoredFacts>> {
    const stored = new StoredById(await this.read(observations, transaction));
    const known = new Map<string, StoredFacts>();
    for (const one of observations) {
      const row = stored.of(one);
      if (row) known.set(one.id, row);
    }
    return known;
  }

  /**
   * As `of`, with those that move here from their former engine. An id is the digest of the unique key (engine, rule, resource, discriminator), so a
   * finding that stood under another engine, or had another discriminator, is found by the id that it got then.
   */
  async ofOrAdopted(
    observations: readonly Sought[],
    changes: FindingChanges,
    transaction: TransactionOf,
  ): Promise<Map<string, StoredFacts>> {
    const known = await this.of(observations, transaction);
    if (this.formerOwner === null) return known;
    const missing = new Map(
      observations.flatMap(({ id, formerIds }) => (known.has(id) ? [] : formerIds.map((formerId) => [formerId, id] as const))),
    );
    if (missing.size === 0) return known;
    // what the migration could not tell apart moves when a run says whose it is
    const former = this.tenant.engine(this.formerOwner);
    const rowIds = [...missing.keys()].map((id) => findingRowId(this.tenant.tenantId, this.formerOwner!, id));
    const left = await former.collection(findings).find({ _id: { $in: rowIds }, owner_unconfirmed: true }, { transaction });
    for (const row of left) known.set(missing.get(row.finding_id)!, changes.adopt(former, row));
    return known;
  }

  private async read(observations: readonly Sought[], transaction?: TransactionOf): Promise<StoredFacts[]> {
    const rows = this.tenant.engine(this.engine).collection(findings);
    const options = { fields: MERGE_FIELDS, ...(transaction && { transaction }) };
    const rowIds = observations.flatMap(({ id, formerIds }) =>
      [id, ...formerIds].map((one) => findingRowId(this.tenant.tenantId, this.engine, one)),
    );
    const named: StoredFacts[] = await rows.find({ _id: { $in: rowIds } }, options);
    const shared = observations.flatMap(({ id, artifactIds, isShared }) => (isShared ? [id, ...artifactIds] : []));
    if (shared.length === 0) return named;
    return [...named, ...(await rows.find({ also_ids: { $in: shared } }, options))];
  }
}
