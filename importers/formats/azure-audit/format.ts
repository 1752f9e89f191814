import { eventFormat } from '../../events/format.js';
import { tellAzureAudit } from '../../events/sources/azure-audit.js';

/**
 * Azure's activity log and the logs of Entra: what `az monitor activity-log list` prints, answers of Microsoft Graph (`auditLogs/signIns`,
 * `auditLogs/directoryAudits`), what diagnostic settings export, and rows of AzureActivity.
 */
export const format = eventFormat({
  name: 'azure_audit',
  label: 'Azure activity log, Entra sign-in and audit logs',
  detection:
    'JSON records with operationName and eventDataId or a category of diagnostic settings, or sign-ins and directory audits of Microsoft Graph, in an array, `value`, `records` or lines.',
  produce: 'az monitor activity-log list --offset 90d --max-events 100000 > activity.json',
  lists: ['value', 'records'],
  marks: [
    ['eventDataId', 'operationName.value'],
    ['operationName', 'category', 'time', 'resultType'],
    ['operationName', 'category', 'time', 'identity.authorization.action'],
    ['createdDateTime', 'appId', 'status.errorCode', 'ipAddress'],
    ['activityDateTime', 'activityDisplayName', 'initiatedBy!'],
    ['OperationNameValue', 'EventDataId'],
  ],
  tell: tellAzureAudit,
});
