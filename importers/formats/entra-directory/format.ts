import { entraAssets, entraGroupOf, entraList, entraMembers, isOfDirectory } from '../../cloud/entra.js';
import { isItem } from '../../cloud/item.js';
import { firstRecord, isArrayReport, readRecords } from '../../cloud/records.js';
import { readTopLevel, type TopLevel } from '../../readers/json/top-level.js';
import { readHead } from '../../readers/source.js';
import type { ImportItem, ImportOptions, ReportFormat, ReportSource } from '../../types.js';

const FORMAT = 'entra_directory';
// what is below auditLogs are events, what is below security are scores and alerts
const CONTEXT = /^"(https:\/\/graph\.microsoft\.[\w.]+\/[\w.]+\/\$metadata#(?!auditLogs\/|security\/)[^"]+)"/i;

/**
 * What Microsoft Graph answers of a directory (Entra ID): users, groups and who belongs to them, applications, service principals, conditional access, roles of
 * the directory and who has them; also as the command line prints them (`az ad user list`). What no line of `importers/cloud/tables/entra.yaml` knows is a record
 * without an asset.
 */
export const format: ReportFormat = {
  name: FORMAT,
  label: 'Directory of Entra ID (Microsoft Graph, az ad … list)',
  engines: ['di', 'check', 'iam'],
  inventory: true,
  detection:
    'A JSON object whose `@odata.context` is one of Microsoft Graph, or an array of users, groups, applications or service principals as Graph describes them.',
  produce: 'az rest --method get --url https://graph.microsoft.com/v1.0/users > report.json',
  detect: (head) => CONTEXT.test(readTopLevel(head).get('@odata.context') ?? '') || (isArrayReport(head) && isEntity(firstRecord(head))),
  read: readDirectory,
};

/** Whether a record is a thing of Graph by the members that only its things have. */
const isEntity = (top: TopLevel): boolean =>
  /^"[0-9a-f]{8}-/i.test(top.get('id') ?? '') &&
  (top.has('userPrincipalName') ||
    top.has('servicePrincipalType') ||
    (top.has('appId') && top.has('signInAudience')) ||
    top.has('securityEnabled'));

async function* readDirectory(source: ReportSource, options: ImportOptions): AsyncGenerator<ImportItem> {
  const head = await readHead(source);
  const top = readTopLevel(head);
  const context = CONTEXT.exec(top.get('@odata.context') ?? '')?.[1];
  const list = entraList(context);
  const group = entraGroupOf(context);
  if (group !== undefined)
    return yield* readRecords(source, ['$'], (answer, at) =>
      entraMembers(group, Array.isArray(answer['value']) ? (answer['value'] as unknown[]) : [], at, FORMAT, options),
    );
  const paths = isArrayReport(head) ? ['$[*]'] : top.get('value')?.startsWith('[') === true ? ['value[*]'] : ['$'];
  yield* readRecords(source, paths, (thing, at) =>
    list === undefined && !isOfDirectory(thing) && !isItem(thing['value']) ? [] : entraAssets(thing, list, at, FORMAT, options),
  );
}
