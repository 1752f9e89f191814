import { objectAt, objectsAt, member, numberAt, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { Acted, TellEvent, Told } from '../event.js';

/** Codes of google.rpc.Code: PERMISSION_DENIED and UNAUTHENTICATED. */
const DENIED = [7, 16];
const CODES = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];
const SERVICE_ACCOUNT = /\.gserviceaccount\.com$/;

/** Reads Cloud Audit Logs; the rights that a call took stand in the record. */
export function tellGcpAudit(): TellEvent {
  return (record, columns): Told => {
    const payload = objectAt(record, 'protoPayload');
    const checks = objectsAt(payload, 'authorizationInfo');
    const code = numberAt(objectAt(payload, 'status'), 'code') ?? 0;
    const refused = DENIED.includes(code) || (code !== 0 && checks.some((check) => member(check, 'granted') === false));
    const service = (columns.service ?? '').replace(/\.googleapis\.com$/, '');
    const log = logOf(textAt(record, 'logName') ?? '', service);
    return {
      ...(log === 'system_event' ? ofGoogle(payload) : actorOf(payload)),
      service,
      account_id: columns.account_id ?? accountOf(textAt(record, 'logName')),
      region: regionOf(columns.region),
      log,
      outcome: refused ? 'denied' : code === 0 ? 'success' : 'failure',
      error: code === 0 ? undefined : (CODES[code] ?? `code ${code}`),
      resources: [textAt(payload, 'resourceName'), ...checks.map((check) => textAt(check, 'resource'))].filter(
        (name) => name !== undefined,
      ),
      rights: checks.flatMap((check) => {
        const [right, resource] = [textAt(check, 'permission'), textAt(check, 'resource')];
        return right === undefined || member(check, 'granted') === false ? [] : [{ right, ...(resource !== undefined && { resource }) }];
      }),
    };
  };
}

function actorOf(payload: JsonObject | undefined): Acted {
  const who = objectAt(payload, 'authenticationInfo');
  const chain = objectsAt(who, 'serviceAccountDelegationInfo').flatMap((one) => {
    const first = textAt(objectAt(one, 'firstPartyPrincipal'), 'principalEmail');
    return first ?? textAt(one, 'principalSubject') ?? [];
  });
  const email = textAt(who, 'principalEmail')?.toLowerCase();
  if (email !== undefined) {
    const actor_kind = SERVICE_ACCOUNT.test(email) ? 'service_account' : email.includes('@') ? 'user' : 'unknown';
    return { actor: email, actor_kind, chain };
  }
  const subject = textAt(who, 'principalSubject');
  if (subject !== undefined)
    return { actor: subject.replace(/^user:/, ''), actor_kind: subject.startsWith('user:') ? 'user' : 'federated', chain };
  return { actor: 'anonymous', actor_kind: 'anonymous' };
}

/** What Google's own systems do names nobody. */
const ofGoogle = (payload: JsonObject | undefined): Acted => ({
  actor: `Service:${textAt(payload, 'serviceName') ?? 'unknown'}`,
  actor_kind: 'service',
});

/** The project, folder, organization or billing account whose log it is. */
const accountOf = (logName: string | undefined): string | undefined =>
  /^(?:projects|folders|organizations|billingAccounts)\/([^/]+)/.exec(logName ?? '')?.[1];

/** A zone lies in its region. */
const regionOf = (place: string | undefined): string | undefined => place?.toLowerCase().replace(/^([a-z]+-[a-z]+\d+)-[a-z]$/, '$1');

function logOf(logName: string, service: string): string {
  const kind = decodeURIComponent(/cloudaudit\.googleapis\.com(?:%2F|\/)(\w+)/i.exec(logName)?.[1] ?? 'activity');
  return kind === 'data_access' ? `data_access:${service}` : kind;
}
