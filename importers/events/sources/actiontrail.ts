import { member, objectAt, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { Acted, TellEvent, Told } from '../event.js';
import { namedIn } from '../named.js';
import { eventTable } from '../table.js';

/** Reads events of Alibaba Cloud's ActionTrail. */
export function tellActionTrail(): TellEvent {
  const { named } = eventTable('alicloud_actiontrail');
  return (record, columns): Told => {
    const service = (columns.service ?? textAt(record, 'eventSource') ?? '').replace(/\.aliyuncs\.com$/, '').toLowerCase();
    const isData = /^data/i.test(textAt(record, 'eventCategory') ?? '');
    const references = objectAt(record, 'referencedResources');
    const resources = Object.keys(references ?? {}).flatMap((type) => textsAt(references, type));
    return {
      ...actorOf(record, objectAt(record, 'userIdentity'), columns.account_id),
      service,
      log: isData ? `data:${service}` : /^read$/i.test(textAt(record, 'eventRW') ?? '') ? 'management:read' : 'management:write',
      error: columns.error ?? (member(record, 'eventType') === 'ConsoleSignin' ? signInError(record) : undefined),
      resources: [...namedIn(record, named, service, columns), ...resources, ...textsAt(record, 'resourceName')],
    };
  };
}

const signInError = (record: JsonObject): string | undefined => textAt(record, 'errorMessage');

function actorOf(record: JsonObject, identity: JsonObject | undefined, account: string | undefined): Acted {
  const own = textAt(identity, 'accountId') ?? account ?? '*';
  const name = textAt(identity, 'userName');
  const principal = textAt(identity, 'principalId') ?? 'unknown';
  switch (textAt(identity, 'type')) {
    case 'root-account':
      return { actor: `acs:ram::${own}:root`, actor_kind: 'root' };
    case 'ram-user':
      return { actor: name === undefined ? principal : `acs:ram::${own}:user/${name}`, actor_kind: 'user' };
    case 'assumed-role': {
      const [role, session] = (name ?? principal).split(':');
      return { actor: `acs:ram::${own}:role/${role}`, actor_kind: 'role', session };
    }
    case 'saml-user':
    case 'oidc-user':
    case 'cloudsso-user':
      return { actor: `Federated:${name ?? principal}`, actor_kind: 'federated' };
    case 'system':
      return { actor: `Service:${textAt(record, 'eventSource') ?? principal}`, actor_kind: 'service' };
    default:
      return name === undefined && principal === 'unknown'
        ? { actor: 'anonymous', actor_kind: 'anonymous' }
        : { actor: name ?? principal, actor_kind: 'unknown' };
  }
}
