import type { NetworkModel } from './model.js';

/** Which networks packets may pass between: those that peerings and gateways join, directly or by others. */
export class JoinedNetworks {
  private readonly above = new Map<string, string>();

  constructor(model: NetworkModel) {
    for (const { asset } of model.ofPart('peering'))
      this.join([...model.linked(asset.resource_uid, 'network').uids, ...model.linked(asset.resource_uid, 'peer').uids]);
    for (const { asset } of model.ofPart('attachment')) {
      const { uids, missing } = model.linked(asset.resource_uid, 'gateway');
      this.join([...model.linked(asset.resource_uid, 'network').uids, ...uids, ...missing]);
    }
  }

  /** One name of the networks that are joined with some; null of none. */
  of(networks: ReadonlySet<string>): string | null {
    return networks.size === 0 ? null : [...networks].map((network) => this.root(network)).sort()[0]!;
  }

  private join(networks: readonly string[]): void {
    const roots = [...new Set(networks.map((network) => this.root(network)))].sort();
    for (const root of roots.slice(1)) this.above.set(root, roots[0]!);
  }

  private root(network: string): string {
    let root = network;
    for (let next = this.above.get(root); next !== undefined; next = this.above.get(root)) root = next;
    if (root !== network) this.above.set(network, root);
    return root;
  }
}
