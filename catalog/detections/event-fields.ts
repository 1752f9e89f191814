import type { EventInput } from '../../schema/observations.js';

/** What detections read of an event: its columns under `event.`, and its record as the log has it. */
export type DetectedEvent = Pick<EventInput, 'record' | 'time' | 'actor' | 'action'> & Partial<Omit<EventInput, 'record'>>;

/** Columns of events, as `event.<column>`; `event.resource` is each of the resources. */
const COLUMNS = {
  ...{ provider: 'provider', account_id: 'account_id', region: 'region', log: 'log', service: 'service', action: 'action' },
  ...{ outcome: 'outcome', error: 'error', actor: 'actor', actor_kind: 'actor_kind', session: 'session', chain: 'chain' },
  ...{ source_ip: 'source_ip', user_agent: 'user_agent', resource: 'resources' },
} as const satisfies Record<string, keyof EventInput>;

/** What rules written for other platforms call a column, by product and service of the log. */
const ALIASES: Readonly<Record<string, Readonly<Record<string, keyof typeof COLUMNS>>>> = {
  'aws/cloudtrail': { eventName: 'action', sourceIPAddress: 'source_ip', userAgent: 'user_agent', awsRegion: 'region' },
  'gcp/gcp.audit': { 'gcp.audit.method_name': 'action', 'gcp.audit.service_name': 'service' },
  'azure/activitylogs': { operationName: 'action', OperationNameValue: 'action' },
  'azure/auditlogs': { 'properties.message': 'action', operationName: 'action', OperationName: 'action' },
  'azure/signinlogs': { IPAddress: 'source_ip', UserPrincipalName: 'session' },
  'kubernetes/audit': {},
  'oci/audit': { 'data.eventName': 'action', eventName: 'action' },
  'alicloud/actiontrail': { eventName: 'action', sourceIpAddress: 'source_ip', userAgent: 'user_agent', acsRegion: 'region' },
};

/** The values of a field in an event: those of each element where lists stand on the way; none where it is not there. */
export type FieldReader = (event: DetectedEvent) => readonly unknown[];

/** The column that a field is, of a log; null where it stands in the record. @throws for a column that there is none of */
export function columnOf(field: string, log: string): keyof typeof COLUMNS | null {
  const named = field.startsWith('event.') ? field.slice('event.'.length) : ALIASES[log]?.[field];
  if (named === undefined) return null;
  if (!Object.hasOwn(COLUMNS, named)) throw new Error(`${field}: events have no such column; there are ${Object.keys(COLUMNS).join(', ')}`);
  return named as keyof typeof COLUMNS;
}

/** What reads a field of the events of a log. @throws as `columnOf` */
export function fieldReader(field: string, log: string): FieldReader {
  const column = columnOf(field, log);
  if (column !== null) {
    if (column === 'actor_kind') return kindsOf;
    const name = COLUMNS[column];
    return (event) => listOf(event[name]);
  }
  const path = field.split('.');
  return ({ record }) => {
    const found: unknown[] = [];
    collect(record, path, 0, found);
    return found;
  };
}

/** Roles as which the identity center lets people in. */
const ROLE_OF_PEOPLE = /[/:]AWSReservedSSO/;

/** The kind of an actor; a role that stands for whoever signed in is `person` as well. */
const kindsOf: FieldReader = ({ actor_kind, actor }) =>
  actor_kind === undefined ? [] : actor_kind === 'role' && ROLE_OF_PEOPLE.test(actor) ? [actor_kind, 'person'] : [actor_kind];

const listOf = (value: unknown): readonly unknown[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];

function collect(value: unknown, path: readonly string[], at: number, found: unknown[]): void {
  if (Array.isArray(value)) {
    for (const one of value as unknown[]) collect(one, path, at, found);
    return;
  }
  if (at === path.length) {
    if (value !== undefined && value !== null) found.push(value);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const step = path[at]!;
  if (Object.hasOwn(value, step)) collect((value as Record<string, unknown>)[step], path, at + 1, found);
}

/** A value as texts compare it: what is no scalar as its JSON. */
export const textOfValue = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
