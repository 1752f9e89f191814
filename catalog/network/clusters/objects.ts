import { block, blocks, flag, int, text, type Plain } from '../../cel/read.js';
import type { InventoryResource } from '../../resource.js';

/** One port that a service or a node hands on to pods. */
export interface ServicePort {
  protocol: string;
  port: number;
  /** The port of the pods, by number or by the name that they give it. */
  target: number | string;
}

export const isOfCluster = ({ provider }: InventoryResource): boolean => provider === 'k8s';

/** What stands for the network of a cluster. */
export const clusterOf = ({ account_id }: InventoryResource): string => `k8s/cluster/${account_id ?? ''}`;

/** The name of an object, its namespace, its labels and its annotations. */
export function metadataOf({ configuration, resource_name }: InventoryResource) {
  const metadata = block(configuration['metadata']) ?? {};
  return {
    name: text(metadata['name']) ?? resource_name ?? '',
    namespace: text(metadata['namespace']) ?? 'default',
    labels: block(metadata['labels']) ?? {},
    annotations: block(metadata['annotations']) ?? {},
  };
}

export const specOf = ({ configuration }: InventoryResource): Plain => block(configuration['spec']) ?? {};

/** The pods that a workload makes: their labels and their specification. */
export function podOf(asset: InventoryResource): { labels: Plain; spec: Plain } {
  const spec = specOf(asset);
  const job = block(block(spec['job_template'])?.['spec']);
  const template = block((job ?? spec)['template']);
  if (template === undefined) return { labels: metadataOf(asset).labels, spec };
  return { labels: block(block(template['metadata'])?.['labels']) ?? {}, spec: block(template['spec']) ?? {} };
}

export const isOnHost = (asset: InventoryResource): boolean => flag(podOf(asset).spec['host_network']) === true;

export const protocolOf = (value: unknown): string => (text(value) ?? 'TCP').toLowerCase();

/** The ports that the containers of a workload name. */
export function containerPorts(
  asset: InventoryResource,
): { name: string | undefined; protocol: string; port: number; host: number | undefined }[] {
  const containers = blocks(podOf(asset).spec['container']);
  return containers.flatMap((container) =>
    blocks(container['port']).flatMap((one) => {
      const port = int(one['container_port']);
      const host = int(one['host_port']);
      return port === undefined
        ? []
        : [{ name: text(one['name']), protocol: protocolOf(one['protocol']), port, host: host === 0 ? undefined : host }];
    }),
  );
}

/** The ports of a service. */
export const servicePorts = (asset: InventoryResource): ServicePort[] =>
  blocks(specOf(asset)['port']).flatMap((one) => {
    const port = int(one['port']);
    if (port === undefined) return [];
    const target = text(one['target_port']);
    return [
      { protocol: protocolOf(one['protocol']), port, target: target === undefined ? port : /^\d+$/.test(target) ? Number(target) : target },
    ];
  });
