import { imagePlace, outsidePlace } from '../../normalize/artifact.js';
import type { PlaceDraft } from '../../normalize/observation.js';
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
  const kind = isContainer ? 'container' : /cluster/i.test(type ?? '') ? 'kubernetes_cluster' : 'host';
  return { ...outsidePlace(uid, kind, options, name), account_id: options.account_id ?? node.account };
}
