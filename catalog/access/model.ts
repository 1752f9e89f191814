import { isManifest, manifestConfiguration } from '../manifest.js';
import type { InventoryResource } from '../resource.js';
import { AzureBindings } from './bindings/azure.js';
import { BindingAccess } from './bindings/bound.js';
import { GcpBindings } from './bindings/gcp.js';
import { IbmBindings } from './bindings/ibm.js';
import { K8sBindings } from './bindings/k8s.js';
import { OciBindings } from './bindings/oci.js';
import { DocumentEstate } from './documents/estate.js';
import { documentTable } from './documents/table.js';
import { DocumentAccess } from './documents/weigh.js';
import type { ProviderAccess } from './provider.js';
import type { Weighed } from './types.js';

const READERS: Readonly<Record<string, (assets: readonly InventoryResource[]) => ProviderAccess>> = {
  aws: (assets) => new DocumentAccess(new DocumentEstate(documentTable('aws'), assets)),
  azure: (assets) => new BindingAccess(new AzureBindings(assets)),
  gcp: (assets) => new BindingAccess(new GcpBindings(assets)),
  k8s: (assets) => new BindingAccess(new K8sBindings(assets)),
  oci: (assets) => new BindingAccess(new OciBindings(assets)),
  ibm: (assets) => new BindingAccess(new IbmBindings(assets)),
  alicloud: (assets) => new DocumentAccess(new DocumentEstate(documentTable('alicloud'), assets)),
};

const inTerraformsForm = (asset: InventoryResource): InventoryResource =>
  isManifest(asset) ? { ...asset, configuration: manifestConfiguration(asset.configuration) } : asset;

/** Who may do what in the tenant's accounts; answers do not depend on the order of the assets. */
export class AccessModel {
  private readonly assets: readonly InventoryResource[];
  private readonly parts = new Map<string, ProviderAccess>();
  private readonly byType = new Map<string, string[]>();
  private readonly byUid = new Map<string, InventoryResource>();

  constructor(assets: Iterable<InventoryResource>) {
    this.assets = [...assets]
      .map(inTerraformsForm)
      .sort((a, b) => (a.resource_uid < b.resource_uid ? -1 : a.resource_uid > b.resource_uid ? 1 : 0));
    for (const asset of this.assets) {
      const { resource_type, resource_uid } = asset;
      this.byUid.set(resource_uid, asset);
      const list = this.byType.get(resource_type);
      if (list === undefined) this.byType.set(resource_type, [resource_uid]);
      else list.push(resource_uid);
    }
  }

  /**
   * What decides about a call.
   * @param who the uid of an identity, or a principal as the provider writes it
   * @param action in the words of the provider: `s3:GetObject`, `storage.objects.get`, `get:core/secrets`
   * @param resource its uid, or its name as policies write it
   * @throws RangeError for a provider without a model
   */
  weigh(provider: string, who: string, action: string, resource: string, session?: unknown): Weighed {
    return this.of(provider).weigh(who, action, resource, session);
  }

  /** A resource of the estate. */
  resource(uid: string): InventoryResource | undefined {
    return this.byUid.get(uid);
  }

  /** The resources of a provider, by uid. */
  resources(provider: string): readonly InventoryResource[] {
    return this.assets.filter((asset) => asset.provider === provider);
  }

  /** The uids of resources of some types. */
  ofTypes(types: readonly string[]): string[] {
    return types.flatMap((type) => this.byType.get(type) ?? []);
  }

  of(provider: string): ProviderAccess {
    const reader = READERS[provider];
    if (reader === undefined) throw new RangeError(`there is no model of access of ${provider}`);
    const part = this.parts.get(provider) ?? reader(this.assets.filter((asset) => asset.provider === provider));
    this.parts.set(provider, part);
    return part;
  }
}
