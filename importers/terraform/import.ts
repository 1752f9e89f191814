import { GLOBAL_REGION, type Provider } from '../../schema/model.js';
import { terraformAsset, type TerraformInstance } from './asset.js';
import type { AddressReference } from './address.js';
import { TerraformEdges } from './edges.js';
import { heldObject } from './manifest.js';
import { accountOf, providerOf, regionOf } from './place.js';
import type { ImportItem, ImportOptions } from '../types.js';

/** What the reader of one Terraform format gives. */
export type InstanceItem =
  /** A resource instance that exists, and the addresses it refers to. Its record comes with it. */
  | { kind: 'instance'; instance: TerraformInstance; references: readonly AddressReference[] }
  /** A record that is no asset: a data source, a deleted resource. */
  | { kind: 'record' }
  | { kind: 'broken'; position: string; reason: string }
  | { kind: 'truncated'; position: string; reason: string };

interface Import {
  format: string;
  /** What the report tells as a whole: the lineage of a state. */
  estate?: string | undefined;
  /** Reads the report from its start; called twice where the accounts are not known. */
  read(): AsyncIterable<InstanceItem>;
}

/** The only account and the only region that a provider's resources name; undefined where they name none or several. */
type Defaults = ReadonlyMap<Provider, { account?: string; region?: string }>;

/** Makes records, assets and edges of the instances that a reader gives. Edges come last, when every address is known. */
export async function* importInstances({ format, estate, read }: Import, options: ImportOptions): AsyncGenerator<ImportItem> {
  if (estate !== undefined) yield { kind: 'estate', estate };
  const defaults = await surveyPlaces(read());
  const edges = new TerraformEdges();
  const cut: ImportItem[] = [];
  for await (const item of read()) {
    if (item.kind === 'truncated') cut.push(item);
    else if (item.kind === 'broken') yield item;
    else {
      yield { kind: 'record' };
      const provider = item.kind === 'instance' ? providerOf(item.instance.type) : undefined;
      if (item.kind !== 'instance' || provider === undefined) continue;
      const place = defaults.get(provider) ?? {};
      const asset = terraformAsset(heldObject(item.instance), provider, format, options, place);
      asset.resource_uid = edges.claim(item.instance.address, asset, item.references);
      yield { kind: 'asset', asset };
    }
  }
  for (const edge of edges.edges()) yield { kind: 'edge', edge };
  yield* cut;
}

async function surveyPlaces(items: AsyncIterable<InstanceItem>): Promise<Defaults> {
  const seen = new Map<Provider, { accounts: Set<string>; regions: Set<string> }>();
  for await (const item of items) {
    const provider = item.kind === 'instance' ? providerOf(item.instance.type) : undefined;
    if (item.kind !== 'instance' || provider === undefined) continue;
    const places = seen.get(provider) ?? { accounts: new Set(), regions: new Set() };
    seen.set(provider, places);
    const { type, values } = item.instance;
    const account = accountOf(provider, values);
    // Only ids tell where a resource is for certain: an attribute may name the region of something else.
    const { id, arn, crn, self_link: link } = values;
    const region = regionOf(provider, type, { id, arn, crn, self_link: link }, undefined);
    if (account !== undefined) places.accounts.add(account);
    if (region !== GLOBAL_REGION) places.regions.add(region);
  }
  const only = (set: ReadonlySet<string>): string | undefined => (set.size === 1 ? [...set][0] : undefined);
  return new Map([...seen].map(([provider, { accounts, regions }]) => [provider, { account: only(accounts), region: only(regions) }]));
}
