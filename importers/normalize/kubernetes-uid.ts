import { redactText } from '../../redaction/redact.js';
import type { ImportOptions } from '../types.js';

/** `<cluster>/<namespace>/<kind>/<name>`, `-` for no namespace. The cluster is the account, or the artifact, that the caller names. */
export function kubernetesUid(kind: string, namespace: string, name: string, options: ImportOptions): string {
  return redactText(`${options.account_id ?? options.artifact ?? 'cluster'}/${namespace || '-'}/${kind}/${name}`);
}
