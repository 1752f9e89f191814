import { asObject, member, objectAt, objectsAt, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { EventOutcome } from '../../../schema/model.js';
import type { ImportOptions } from '../../types.js';
import type { Acted, Columns, TellEvent, Told } from '../event.js';

const OBJECT_ID = 'http://schemas.microsoft.com/identity/claims/objectidentifier';
const FORBIDDEN = /forbidden|AuthorizationFailed|\b403\b|does not have authorization/i;
/** Errors of sign-ins that say that a right, and not a password, was missing: blocked by a policy, not assigned to the application. */
const SIGN_IN_DENIED = new Set(['50105', '53000', '53001', '53002', '53003', '53004', '50058', '500011', '700016', '65001', '90094']);
const SIGN_INS: Readonly<Record<string, string>> = {
  signinlogs: 'sign_in',
  noninteractiveusersigninlogs: 'sign_in:non_interactive',
  serviceprincipalsigninlogs: 'sign_in:service_principal',
  managedidentitysigninlogs: 'sign_in:managed_identity',
};

/** Reads Azure's activity log, and sign-ins and directory audits of Entra, as interfaces answer them and as diagnostic settings export them. */
export function tellAzureAudit(options: ImportOptions): TellEvent {
  return (record, columns): Told => {
    const category = textAt(record, 'category') ?? textAt(record, 'Category') ?? '';
    // an export wraps what the interface answers
    const inner = objectAt(record, 'properties');
    const signIn = SIGN_INS[category.toLowerCase()];
    if (signIn !== undefined) return signedIn({ ...record, ...inner }, columns, signIn, options);
    if (has(record, 'createdDateTime', 'status') && (has(record, 'userId') || has(record, 'servicePrincipalId')))
      return signedIn(record, columns, signInOf(record), options);
    if (category === 'AuditLogs') return audited({ ...record, ...inner }, columns, options);
    if (has(record, 'activityDateTime', 'activityDisplayName')) return audited(record, columns, options);
    return activity(record, columns);
  };
}

const has = (record: JsonObject, ...names: string[]): boolean => names.every((name) => member(record, name) != null);

function signInOf(record: JsonObject): string {
  if (!has(record, 'userId')) return 'sign_in:service_principal';
  return member(record, 'isInteractive') === false ? 'sign_in:non_interactive' : 'sign_in';
}

/** The tenant of the directory: what logs of Entra name as their account. */
const directoryOf = (record: JsonObject, options: ImportOptions): string | undefined =>
  textAt(record, 'tenantId') ??
  textAt(record, 'homeTenantId') ??
  /^\/tenants\/([0-9a-f-]{36})/i.exec(textAt(record, 'resourceId') ?? '')?.[1] ??
  options.account_id;

function signedIn(record: JsonObject, { action }: Columns, log: string, options: ImportOptions): Told {
  const status = objectAt(record, 'status');
  const code = textAt(status, 'errorCode') ?? textAt(record, 'resultType') ?? '0';
  const user = textAt(record, 'userId');
  const program = textAt(record, 'servicePrincipalId');
  const isUser = user !== undefined && !/^0{8}-/.test(user);
  return {
    actor: (isUser ? user : program) ?? textAt(record, 'userPrincipalName') ?? 'unknown',
    actor_kind: isUser ? 'user' : program === undefined ? 'unknown' : 'service_account',
    session: textAt(record, 'userPrincipalName') ?? textAt(record, 'servicePrincipalName'),
    log,
    account_id: directoryOf(record, options),
    region: 'global',
    service: 'Microsoft.aadiam',
    action: action ?? 'Sign-in activity',
    time: textAt(record, 'createdDateTime') ?? textAt(record, 'time'),
    event_id: textAt(record, 'id'),
    source_ip: textAt(record, 'ipAddress') ?? textAt(record, 'callerIpAddress'),
    outcome: code === '0' ? 'success' : SIGN_IN_DENIED.has(code) ? 'denied' : 'failure',
    error: code === '0' ? undefined : code,
    resources: [textAt(record, 'appDisplayName'), textAt(record, 'resourceDisplayName')].filter((name) => name !== undefined),
  };
}

function audited(record: JsonObject, { action }: Columns, options: ImportOptions): Told {
  const by = objectAt(record, 'initiatedBy');
  const [user, app] = [objectAt(by, 'user'), objectAt(by, 'app')];
  const result = textAt(record, 'result') ?? textAt(record, 'resultType') ?? 'success';
  const reason = textAt(record, 'resultReason') ?? textAt(record, 'resultDescription');
  const acted: Acted =
    user !== undefined && textAt(user, 'id') !== undefined
      ? { actor: textAt(user, 'id')!, actor_kind: 'user', session: textAt(user, 'userPrincipalName') }
      : app === undefined
        ? { actor: textAt(record, 'identity') ?? 'unknown', actor_kind: 'unknown' }
        : {
            actor: textAt(app, 'servicePrincipalId') ?? textAt(app, 'appId') ?? textAt(app, 'displayName') ?? 'unknown',
            actor_kind: 'service_account',
            session: textAt(app, 'displayName'),
          };
  return {
    ...acted,
    log: 'directory',
    account_id: directoryOf(record, options),
    region: 'global',
    service: textAt(record, 'loggedByService') ?? 'Core Directory',
    action: textAt(record, 'activityDisplayName') ?? action,
    time: textAt(record, 'activityDateTime') ?? textAt(record, 'time'),
    event_id: textAt(record, 'id'),
    source_ip: textAt(user, 'ipAddress') ?? textAt(record, 'callerIpAddress'),
    outcome: /^success/i.test(result) ? 'success' : FORBIDDEN.test(reason ?? '') ? 'denied' : 'failure',
    error: /^success/i.test(result) ? undefined : (reason ?? result),
    resources: objectsAt(record, 'targetResources').flatMap((one) => textAt(one, 'id') ?? textAt(one, 'displayName') ?? []),
  };
}

function activity(record: JsonObject, columns: Columns): Told {
  const identity = objectAt(record, 'identity');
  const authorization = objectAt(record, 'authorization') ?? objectAt(identity, 'authorization') ?? parsed(record, 'Authorization');
  const claims = objectAt(record, 'claims') ?? objectAt(identity, 'claims') ?? parsed(record, 'Claims');
  const resource =
    textAt(record, 'resourceId') ?? textAt(record, 'ResourceId') ?? textAt(record, '_ResourceId') ?? textAt(authorization, 'scope');
  const action = canonical(columns.action, textAt(authorization, 'action'));
  const right = textAt(authorization, 'action');
  const scope = textAt(authorization, 'scope');
  const category = textAt(objectAt(record, 'category'), 'value') ?? textAt(record, 'category') ?? textAt(record, 'CategoryValue');
  return {
    ...actorOf(claims, columns.session),
    log: (category ?? 'administrative').toLowerCase(),
    account_id: columns.account_id ?? /\/subscriptions\/([0-9a-f-]{36})/i.exec(resource ?? '')?.[1]?.toLowerCase(),
    service: columns.service ?? /^([^/]+)\//.exec(action ?? '')?.[1] ?? 'Microsoft.Resources',
    action,
    ...outcomeOf(record),
    resources: resource === undefined ? [] : [resource],
    rights: right === undefined ? [] : [{ right, ...(scope !== undefined && { resource: scope }) }],
  };
}

/** Exports write operations in capitals; the authorization beside it has them as roles do. */
const canonical = (action: string | undefined, right: string | undefined): string | undefined =>
  right !== undefined && action?.toLowerCase() === right.toLowerCase() ? right : action;

function actorOf(claims: JsonObject | undefined, caller: string | undefined): Acted {
  const id = textAt(claims, OBJECT_ID) ?? textAt(claims, 'oid');
  const isPerson =
    caller?.includes('@') === true ||
    textAt(claims, 'idtyp') === 'user' ||
    textAt(claims, 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/upn') !== undefined;
  const actor = id ?? caller ?? textAt(claims, 'appid');
  if (actor === undefined) return { actor: 'Service:Microsoft.Resources', actor_kind: 'service' };
  return { actor, actor_kind: isPerson ? 'user' : 'service_account', session: caller };
}

/** A call is told twice, when it begins and when it has ended: what has begun was allowed. */
function outcomeOf(record: JsonObject): { outcome: EventOutcome; error?: string } {
  const status =
    textAt(objectAt(record, 'status'), 'value') ??
    textAt(record, 'resultType') ??
    textAt(record, 'ActivityStatusValue') ??
    textAt(record, 'status') ??
    '';
  if (!/^fail/i.test(status)) return { outcome: 'success' };
  const details = objectAt(record, 'properties');
  const reason = [
    textAt(objectAt(record, 'subStatus'), 'value'),
    textAt(record, 'resultSignature'),
    textAt(details, 'statusCode'),
    textAt(details, 'statusMessage'),
    textAt(record, 'ActivitySubstatusValue'),
  ].filter((text) => text !== undefined);
  const isRefused = reason.some((text) => FORBIDDEN.test(text));
  return { outcome: isRefused ? 'denied' : 'failure', error: reason[0]?.slice(0, 200) ?? status };
}

/** Tables of Log Analytics hold objects as text. */
function parsed(record: JsonObject, name: string): JsonObject | undefined {
  const text = textAt(record, name);
  if (text === undefined || !text.startsWith('{')) return undefined;
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}
