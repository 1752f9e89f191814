import { asObject, member, objectAt, objectsAt, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { UsedRight } from '../../../schema/observations.js';
import type { Acted, Columns, TellEvent, Told } from '../event.js';
import { namedIn } from '../named.js';
import { eventTable } from '../table.js';
import { SessionChains } from '../session-chains.js';

const SERVICE = /\.amazonaws\.com(?:\.cn)?$/;
/** Calls that only look, by their names, where an event does not say. */
const LOOKS = /^(?:Get|List|Describe|Head|Lookup|BatchGet|Search|Query|Scan|Check|Preview|Select|View|Download)/;
const ROLE = /^arn:[\w-]+:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/;
const ARN = /^arn:[\w-]+:[\w-]+:[\w-]*:\d*:\S{1,900}$/;
/** How deep the parameters of a call are looked through, and how many values. */
const DEPTH = 5;
const MOST_VALUES = 400;

/** Reads CloudTrail records, one after another: who began a session is known from the call that began it, where the report holds that before. */
export function tellCloudTrail(): TellEvent {
  const chains = new SessionChains();
  const { named } = eventTable('cloudtrail');
  return (record, columns): Told => {
    const service = (columns.service ?? '').replace(SERVICE, '');
    const identity = objectAt(record, 'userIdentity');
    const acted = actorOf(record, identity, columns);
    const chain = chains.of(textAt(identity, 'accessKeyId')) ?? startOf(identity);
    const begun = textAt(objectAt(objectAt(record, 'responseElements'), 'credentials'), 'accessKeyId');
    if (begun !== undefined) chains.begin(begun, [...(chain ?? []), acted.actor]);
    const { arns, roles } = namesIn(objectAt(record, 'requestParameters'));
    arns.push(...namedIn(record, named, service, columns));
    const looks = member(record, 'readOnly') === true || (member(record, 'readOnly') !== false && LOOKS.test(columns.action ?? ''));
    return {
      ...acted,
      chain,
      service,
      log: logOf(record, service, looks),
      ...signIn(record, columns),
      resources: [...objectsAt(record, 'resources').flatMap((one) => textAt(one, 'ARN') ?? textAt(one, 'ARNPrefix') ?? []), ...arns],
      rights: looks || service === 'iam' || service === 'sts' ? undefined : roles.map(passed),
    };
  };
}

const passed = (role: string): UsedRight => (role === '' ? { right: 'iam:PassRole' } : { right: 'iam:PassRole', resource: role });

/** The class of log: which part of a trail has to be switched on for such an event to be there. */
function logOf(record: JsonObject, service: string, looks: boolean): string {
  const category = textAt(record, 'eventCategory')?.toLowerCase();
  if (category === 'data' || (category === undefined && member(record, 'managementEvent') === false)) return `data:${service}`;
  if (category === 'insight') return 'insight';
  if (category === 'networkactivity') return `network:${service}`;
  return looks ? 'management:read' : 'management:write';
}

/** Sign-in to the console tells in its answer whether it succeeded. */
function signIn(record: JsonObject, { action }: Columns): Pick<Told, 'outcome' | 'error'> {
  if (action === undefined || !/^(?:ConsoleLogin|CheckMfa|SwitchRole|ExitRole|RenewRole)$/.test(action)) return {};
  const answer = textAt(objectAt(record, 'responseElements'), action);
  const error = textAt(record, 'errorMessage') ?? textAt(record, 'errorCode');
  return answer === 'Failure' || error !== undefined ? { outcome: 'failure', error: error ?? 'Failure' } : {};
}

/** CloudTrail userIdentity element; of a session the identity behind it, as the inventory names that. */
function actorOf(record: JsonObject, identity: JsonObject | undefined, { account_id }: Columns): Acted {
  const arn = textAt(identity, 'arn');
  const context = objectAt(identity, 'sessionContext');
  const issuer = objectAt(context, 'sessionIssuer');
  const account = textAt(identity, 'accountId') ?? account_id;
  const principal = textAt(identity, 'principalId');
  const session = textAt(identity, 'sessionName') ?? (arn?.includes(':sts:') ? arn.split('/').at(-1) : principal?.split(':')[1]);
  switch (textAt(identity, 'type')) {
    case 'Root':
      return { actor: arn ?? `arn:aws:iam::${account}:root`, actor_kind: 'root' };
    case 'IAMUser': {
      const name = textAt(identity, 'userName');
      return { actor: arn ?? (name === undefined ? (principal ?? 'unknown') : `arn:aws:iam::${account}:user/${name}`), actor_kind: 'user' };
    }
    case 'AssumedRole':
    case 'Role':
      return { actor: textAt(issuer, 'arn') ?? roleOf(arn) ?? principal ?? 'unknown', actor_kind: 'role', session };
    case 'FederatedUser':
      return { actor: textAt(issuer, 'arn') ?? arn ?? principal ?? 'unknown', actor_kind: 'user', session };
    case 'SAMLUser':
    case 'WebIdentityUser': {
      const provider = textAt(identity, 'identityProvider') ?? 'unknown';
      return { actor: `Federated:${provider}:${textAt(identity, 'userName') ?? principal ?? 'unknown'}`, actor_kind: 'federated' };
    }
    case 'IdentityCenterUser': {
      const person = objectAt(identity, 'onBehalfOf');
      return { actor: textAt(person, 'userId') ?? textAt(identity, 'credentialId') ?? 'unknown', actor_kind: 'user' };
    }
    case 'AWSService':
      return { actor: `Service:${textAt(identity, 'invokedBy') ?? textAt(record, 'eventSource') ?? 'unknown'}`, actor_kind: 'service' };
    case 'AWSAccount':
      if (account === 'ANONYMOUS_PRINCIPAL' || account === 'anonymous') return { actor: 'anonymous', actor_kind: 'anonymous' };
      return { actor: arn ?? roleOf(arn) ?? account ?? 'unknown', actor_kind: 'account', session: principal?.split(':')[1] };
    default: {
      const service = textAt(identity, 'invokedBy');
      if (service !== undefined) return { actor: `Service:${service}`, actor_kind: 'service' };
      if (textAt(record, 'eventType') === 'AwsServiceEvent')
        return { actor: `Service:${textAt(record, 'eventSource') ?? 'unknown'}`, actor_kind: 'service' };
      const name = arn ?? textAt(identity, 'userName') ?? principal;
      return name === undefined ? { actor: 'anonymous', actor_kind: 'anonymous' } : { actor: name, actor_kind: 'unknown' };
    }
  }
}

/** The role of a session's ARN; its path is not told there. */
function roleOf(arn: string | undefined): string | undefined {
  const [, partition, account, name] = /^arn:([\w-]+):sts::(\d{12}):assumed-role\/([^/]+)\//.exec(arn ?? '') ?? [];
  return name === undefined ? undefined : `arn:${partition}:iam::${account}:role/${name}`;
}

/** Who stands behind a session by what it says of itself. */
function startOf(identity: JsonObject | undefined): string[] | undefined {
  const context = objectAt(identity, 'sessionContext');
  const source = textAt(context, 'sourceIdentity');
  const provider = textAt(objectAt(context, 'webIdFederationData'), 'federatedProvider');
  const chain = [...(provider === undefined ? [] : [`Federated:${provider}`]), ...(source === undefined ? [] : [source])];
  return chain.length === 0 ? undefined : chain;
}

/** The ARNs among the parameters of a call, and the roles that it passes on; an instance profile passes one that is not told. */
function namesIn(parameters: JsonObject | undefined): { arns: string[]; roles: string[] } {
  const arns: string[] = [];
  const roles = new Set<string>();
  let left = MOST_VALUES;
  const walk = (value: unknown, depth: number): void => {
    if (left-- <= 0 || depth > DEPTH) return;
    if (typeof value === 'string') {
      if (!value.startsWith('arn:') || !ARN.test(value)) return;
      arns.push(value);
      if (ROLE.test(value)) roles.add(value);
    } else if (Array.isArray(value)) for (const one of value as unknown[]) walk(one, depth + 1);
    else {
      const object = asObject(value);
      if (object === undefined) return;
      if (objectAt(object, 'iamInstanceProfile') !== undefined) roles.add('');
      for (const name of Object.keys(object)) walk(object[name], depth + 1);
    }
  };
  walk(parameters, 0);
  return { arns, roles: [...roles] };
}
