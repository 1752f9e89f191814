import { block, text } from '../../cel/read.js';
import { edgeLinesOf, plain } from '../../edges.js';
import { valuesAt } from '../../inventory.js';
import { Names } from '../../names.js';
import type { InventoryResource } from '../../resource.js';
import type { AccessModel } from '../model.js';

/** Profiles and the like that stand between a workload and its identity. */
const MOST_STEPS = 4;

/** Finds the identities that workloads act as. */
export class RunsAs {
  private readonly names = new Names();
  private readonly known = new Map<string, readonly string[]>();
  private readonly identities: ReadonlySet<string>;
  /** Service accounts by cluster, namespace and name. */
  private readonly accounts = new Map<string, string[]>();

  constructor(
    private readonly model: AccessModel,
    provider: string,
  ) {
    const access = model.of(provider);
    this.identities = new Set(access.identities);
    for (const asset of model.resources(provider))
      if (this.identities.has(asset.resource_uid) || edgeLinesOf(asset.resource_type).some(({ kind }) => kind === 'runs_as'))
        this.names.add(asset, asset.resource_type, { ids: ['email', 'unique_id', 'principal_id'], names: ['role_name'] });
    if (provider === 'k8s')
      for (const uid of access.identities) {
        const { configuration, account_id } = model.resource(uid)!;
        const metadata = block(configuration['metadata']);
        const key = `${account_id ?? ''}/${text(metadata?.['namespace']) ?? 'default'}/${text(metadata?.['name']) ?? ''}`;
        this.accounts.set(key, [...(this.accounts.get(key) ?? []), uid]);
      }
  }

  /** An identity itself, or those that a workload acts as. */
  of(uid: string): readonly string[] {
    const known = this.known.get(uid);
    if (known !== undefined) return known;
    const found = new Set<string>();
    this.follow(uid, found, MOST_STEPS);
    const identities = [...found].sort();
    this.known.set(uid, identities);
    return identities;
  }

  private follow(uid: string, found: Set<string>, steps: number): void {
    if (this.identities.has(uid)) found.add(uid);
    const asset = this.model.resource(uid);
    if (asset === undefined || steps === 0) return;
    for (const { kind, to } of edgeLinesOf(asset.resource_type)) {
      if (kind !== 'runs_as' || to === null) continue;
      for (const value of valuesAt(asset.configuration, plain(to.path).split('.'))) {
        const next = typeof value === 'string' && value !== '' ? this.names.find(value, to.types, asset.account_id) : undefined;
        if (next !== undefined && next !== uid) this.follow(next, found, steps - 1);
      }
    }
    if (asset.provider === 'k8s') for (const account of this.serviceAccountsOf(asset)) found.add(account);
  }

  /** The service account of a workload's pods, which lies in its namespace and is called `default` where nothing says otherwise. */
  private serviceAccountsOf({ configuration, account_id }: InventoryResource): string[] {
    const pod = podOf(configuration);
    if (pod === undefined) return [];
    const name = text(pod['service_account_name']) ?? text(pod['service_account']) ?? 'default';
    const namespace = text(block(configuration['metadata'])?.['namespace']) ?? 'default';
    return this.accounts.get(`${account_id ?? ''}/${namespace}/${name}`) ?? [];
  }
}

/** The specification of the pods of a workload. */
function podOf(configuration: InventoryResource['configuration']): Readonly<Record<string, unknown>> | undefined {
  const spec = block(configuration['spec']);
  const template = block(spec?.['template']) ?? block(block(block(spec?.['job_template'])?.['spec'])?.['template']);
  const inner = template === undefined ? spec : block(template['spec']);
  return inner !== undefined && ('container' in inner || 'containers' in inner) ? inner : undefined;
}
