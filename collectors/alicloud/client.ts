import { randomUUID } from 'node:crypto';
import type { Clock } from '../../kit/base/clock.js';
import type { Outbound } from '../../kit/outbound/outbound.js';
import { clientsOf, withData, type Hosts } from '../listing/clients.js';
import type { Interface, Place } from '../listing/collect.js';
import { placeless, type Opened } from '../listing/collector.js';
import { at, isObject, thingsAt } from '../listing/thing.js';
import { createRestClient, type RestAnswer } from '../rest-client.js';
import { ConnectionRefused, type Target } from '../types.js';
import { nextPath } from './pages.js';
import { REGIONS, type AlicloudWhere } from './product.js';
import { acsHeaders, isOss, ossHeaders } from './sign.js';
import { readXml } from './xml.js';

/** What the collector is made of. */
export interface AlicloudCollectorOptions extends Hosts {
  readonly outbound: Pick<Outbound, 'fetch'>;
  readonly clock: Clock;
  /** Milliseconds before calls are made again; for tests. */
  readonly pauses?: readonly number[];
}

const NAME = 'Alibaba Cloud';
const THROTTLED = /^Throttling|^ServiceUnavailable|FlowControl|QpsLimitExceeded/;
const BAD_KEY = /^(?:InvalidAccessKeyId|SignatureDoesNotMatch|IncompleteSignature|InvalidSecurityToken)/;
const DENIED = /^(?:Forbidden|NoPermission|AccessDenied|User\.NotAuthorized|Unauthorized)|\.NoPermission$|AccessForbidden/;
const NONE = /NotFound|NotExist|^NoSuch|NotSupport|Unsupported|^(?:Incorrect|Invalid)(?:DBInstance)?Engine/;

/** The interfaces of Alibaba Cloud, asked with the signature of an AccessKey. @throws ConnectionRefused */
export function openAlicloud(options: AlicloudCollectorOptions, { connection, account_id, regions }: Target): Opened<AlicloudWhere> {
  const { outbound, clock, pauses } = options;
  if (connection.method !== 'secret')
    throw new ConnectionRefused(
      'This deployment has no identity of its own in Alibaba Cloud, which a role could trust: connect with an AccessKey of a RAM user.',
    );
  const key = { id: connection.values['access_key_id'] ?? '', secret: connection.values['access_key_secret'] ?? '' };
  const clientOf = clientsOf((base, host) => {
    const common = {
      outbound,
      clock,
      base,
      ...(pauses && { pauses }),
      isThrottled: (answer: RestAnswer) => THROTTLED.test(codeOf(answer) ?? ''),
    };
    if (isOss(host))
      return createRestClient({ ...common, read: readDocument, headers: (_signal, sent) => ossHeaders(key, host, sent, clock.now()) });
    return createRestClient({
      ...common,
      // the action is named in headers; in the path it stands for the table alone
      headers: (_signal, sent) => {
        const { searchParams } = sent.url;
        const [action, version] = [searchParams.get('Action') ?? '', searchParams.get('Version') ?? ''];
        return acsHeaders(key, sent, { action, version, now: clock.now(), nonce: randomUUID() });
      },
    });
  }, options);
  const of: Interface = {
    provider: 'alicloud',
    async ask(_line, { host, path }, signal) {
      const answer = withData(await clientOf(host).call({ path }, signal));
      if (!answer.ok && BAD_KEY.test(codeOf(answer) ?? ''))
        throw new ConnectionRefused(`${NAME} does not take the AccessKey: it ${saidBy(answer)}.`);
      return answer;
    },
    next: nextPath,
    // lists of the object storage are those of all regions
    isIn: ({ Region }) => regions.length === 0 || typeof Region !== 'string' || regions.includes(Region),
    verdictOf(answer) {
      const code = codeOf(answer) ?? '';
      if (DENIED.test(code) || (answer.status === 403 && !NONE.test(code))) return 'denied';
      return answer.status === 404 || NONE.test(code) ? 'none' : 'failed';
    },
    codeOf,
    saidBy,
  };
  const account: Place = { values: { account: account_id }, name: '' };
  let known: Promise<readonly Place[]> | undefined;
  const regionsOf = async (signal: AbortSignal): Promise<readonly Place[]> => {
    const answer = await of.ask(REGIONS, { host: REGIONS.host, path: REGIONS.path }, signal);
    if (!answer.ok) throw placeless(NAME, 'regions', saidBy(answer));
    return thingsAt(answer.body, 'Regions.Region').flatMap(({ RegionId: name }) =>
      typeof name === 'string' && /^[a-z0-9-]+$/.test(name) && (regions.length === 0 || regions.includes(name))
        ? [{ region: name, values: { account: account_id, region: name }, name }]
        : [],
    );
  };
  return { of, placesOf: (where, signal) => (where === 'account' ? Promise.resolve([account]) : (known ??= regionsOf(signal))) };
}

/** The object storage answers in XML, and policies as the JSON that they are. */
const readDocument = (text: string): unknown => (text.trimStart().startsWith('<') ? readXml(text) : (JSON.parse(text) as unknown));

/** The code of an error; object storage has it one level deeper. */
function codeOf({ body, ok }: RestAnswer): string | undefined {
  if (ok || !isObject(body)) return undefined;
  const code = [at(body, 'Code'), at(body, 'Error.Code'), at(body, 'code')].find((one) => typeof one === 'string');
  return typeof code === 'string' && /^[\w.-]{1,80}$/.test(code) ? code : undefined;
}

/** What is told of an answer that is none: texts of errors name people and things. */
function saidBy(answer: RestAnswer): string {
  const code = codeOf(answer);
  return `answered ${answer.status}${code === undefined ? '' : ` (${code})`}`;
}
