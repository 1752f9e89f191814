import { numberAt, objectAt, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ActorKind } from '../../../schema/model.js';
import type { TellEvent, Told } from '../event.js';

/** Who says nothing of rights: Oracle answers 404 to who may not see a thing. */
const REFUSED = /NotAuthorized|not authorized|authorization failed/i;

const KINDS: readonly (readonly [RegExp, ActorKind])[] = [
  [/^ocid1\.(?:user|saml2idpuser)\./, 'user'],
  [/^ocid1\.(?:instance|fnfunc|cluster|database|autonomousdatabase|datasciencenotebooksession|dynamicgroup|resource)/, 'service_account'],
];

/** Reads audit events of Oracle Cloud. */
export function tellOciAudit(): TellEvent {
  return (record, columns): Told => {
    const data = objectAt(record, 'data');
    const identity = objectAt(data, 'identity');
    const answer = objectAt(data, 'response');
    const code = numberAt(answer, 'status') ?? 200;
    const message = textAt(answer, 'message') ?? textAt(data, 'message') ?? '';
    const refused = code === 401 || code === 403 || (code >= 400 && REFUSED.test(message));
    const id = either(identity, 'principalId') ?? columns.session;
    const caller = either(identity, 'callerId');
    const resource = either(data, 'resourceId');
    return {
      actor: id === undefined || id === '' ? `Service:${columns.service ?? 'unknown'}` : id,
      actor_kind: id === undefined || id === '' ? 'service' : (KINDS.find(([form]) => form.test(id))?.[1] ?? 'unknown'),
      chain: caller === undefined ? undefined : [caller],
      log: 'audit',
      region: regionOf(record, resource),
      outcome: code < 400 ? 'success' : refused ? 'denied' : 'failure',
      error: code < 400 ? undefined : String(code),
      resources: resource === undefined ? [] : [resource],
    };
  };
}

/** A member under its name, or as the command line writes that. */
const either = (object: JsonObject | undefined, name: string): string | undefined =>
  textAt(object, name) ??
  textAt(
    object,
    name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  );

/** Region of a resource by its identifier: `ocid1.instance.oc1.eu-frankfurt-1.…` */
const regionOf = (record: JsonObject, resource: string | undefined): string | undefined =>
  textAt(objectAt(record, 'oracle'), 'region') ?? (/^ocid1\.\w+\.\w+\.([\w-]+)\./.exec(resource ?? '')?.[1] || undefined);
