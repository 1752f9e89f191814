import { eventFormat } from '../../events/format.js';
import { tellGcpAudit } from '../../events/sources/gcp-audit.js';

/** Cloud Audit Logs of Google Cloud: entries as `gcloud logging read --format=json` prints them, or a sink writes them, a line each. */
export const format = eventFormat({
  name: 'gcp_audit',
  label: 'Google Cloud audit logs',
  detection:
    'JSON log entries with logName, insertId and a protoPayload that names serviceName and methodName, in an array, `entries` or lines.',
  produce: "gcloud logging read 'logName:cloudaudit.googleapis.com' --freshness=90d --format=json > audit.json",
  lists: ['entries'],
  marks: [
    ['protoPayload.methodName', 'logName'],
    ['protoPayload.methodName', 'insertId'],
    ['protoPayload.serviceName', 'insertId'],
  ],
  tell: tellGcpAudit,
});
