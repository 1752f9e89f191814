import { eventFormat } from '../../events/format.js';
import { isAnswered, tellKubernetesAudit, withoutSecretData } from '../../events/sources/kubernetes-audit.js';
import { asObject, objectAt, textAt, type JsonObject } from '../../readers/json/fields.js';

/** Audit logs of a Kubernetes API server: its files, lists of events, and the records in which Azure exports them. */
export const format = eventFormat({
  name: 'kubernetes_audit',
  label: 'Kubernetes audit log',
  detection: 'JSON audit events of audit.k8s.io with auditID and verb, in lines, an array or `items`.',
  produce: 'cat /var/log/kubernetes/audit/audit.log > audit.jsonl',
  lists: ['items', 'records'],
  marks: [
    ['auditID', 'verb'],
    ['auditID', 'stage'],
    ['category', 'properties.log', 'properties.pod'],
  ],
  tell: tellKubernetesAudit,
  isEvent: isAnswered,
  unwrap: (record) => withoutSecretData(exported(record)),
});

/** The event that stands as text in a record of Azure's. */
function exported(record: JsonObject): JsonObject {
  const text = textAt(objectAt(record, 'properties'), 'log');
  if (text === undefined) return record;
  try {
    return asObject(JSON.parse(text)) ?? record;
  } catch {
    return record;
  }
}
