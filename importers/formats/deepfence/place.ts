import { imagePlace } from '../../normalize/artifact.js';
import { inferProvider, type PlaceDraft } from '../../normalize/observation.js';
import type { ImportOptions } from '../../types.js';

/** A node as a row names it. */
export interface DeepfenceNode {
  type: string | undefined;
  /** Of a container `<container> / <host>`. */
  name: string | undefined;
  container?: string | undefined;
  cluster?: string | undefined;
  account?: string | undefined;
}

/** The image or the host; a container by its name in its cluster, because the hosts that it runs on come and go. */
export function deepfencePlace(node: DeepfenceNode, options: ImportOptions): PlaceDraft {
  const { type, cluster } = node;
  const [first, host] = node.name?.split(' / ') ?? [];
  const container = node.container ?? (host === undefined ? undefined : first);
  if (/image/i.test(type ?? '')) return imagePlace(options.artifact ?? node.name ?? 'image', options);
  const isContainer = container !== undefined && !/^(?:host|cluster|kubernetes_cluster)$/i.test(type ?? '');
  const name = isContainer ? container : (node.name ?? options.artifact ?? 'host');
  const uid = isContainer ? `${cluster ?? host ?? 'host'}/${container}` : name;
  return {
    resource_uid: uid,
    resource_type: isContainer ? 'container' : /cluster/i.test(type ?? '') ? 'kubernetes_cluster' : 'host',
    resource_name: name,
    ...inferProvider(undefined, options),
    account_id: options.account_id ?? node.account,
    region: options.region,
    artifact: uid,
  };
}
