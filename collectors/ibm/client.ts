import type { Clock } from '../../kit/base/clock.js';
import type { Outbound } from '../../kit/outbound/outbound.js';
import { accessToken } from '../access-token.js';
import { clientsOf, withData, type Hosts } from '../listing/clients.js';
import type { Interface, Place } from '../listing/collect.js';
import { placeless, type Opened } from '../listing/collector.js';
import { at, isObject, thingsAt } from '../listing/thing.js';
import { createRestClient, type RestAnswer } from '../rest-client.js';
import { ConnectionRefused, type Target } from '../types.js';
import { REGIONS } from './regions.js';
import { CLASSIC, type IbmWhere } from './services.js';

/** What the collector is made of. */
export interface IbmCollectorOptions extends Hosts {
  readonly outbound: Pick<Outbound, 'fetch'>;
  readonly clock: Clock;
  /** Milliseconds before calls are made again; for tests. */
  readonly pauses?: readonly number[];
}

const TOKENS = 'iam.cloud.ibm.com';
const GRANT = 'urn:ibm:params:oauth:grant-type:apikey';

/** The interfaces of IBM Cloud, asked by tokens of the API key. @throws ConnectionRefused */
export function openIbm(options: IbmCollectorOptions, { connection, account_id, regions }: Target): Opened<IbmWhere> {
  const { outbound, clock, pauses, baseOf = (host: string) => `https://${host}` } = options;
  if (connection.method !== 'secret')
    throw new ConnectionRefused(
      'This deployment has no identity of its own in IBM Cloud, which a trusted profile could trust: connect with an API key of a service id.',
    );
  const { api_key = '' } = connection.values;
  const common = { outbound, clock, ...(pauses && { pauses }) };
  const tokens = createRestClient({ ...common, base: baseOf(TOKENS), timeoutMs: 20_000, mostBytes: 262_144 });
  const headers = accessToken({
    clock,
    ask: (signal) =>
      tokens.call({ path: '/identity/token', method: 'POST', body: new URLSearchParams({ grant_type: GRANT, apikey: api_key }) }, signal),
    refused: (code) => `IBM Cloud does not take the API key: it answered ${code}.`,
  });
  const clientOf = clientsOf((base) => createRestClient({ ...common, base, headers }), options);
  const of: Interface = {
    provider: 'ibm',
    async ask({ body }, { host, path }, signal) {
      const url = new URL(path, 'https://path');
      const cursor = url.searchParams.get(CURSOR);
      url.searchParams.delete(CURSOR);
      const call =
        body === undefined
          ? { path }
          : { path: url.pathname + url.search, method: 'POST' as const, body: { ...body, ...(cursor !== null && { [CURSOR]: cursor }) } };
      const answer = await clientOf(host).call(call, signal);
      if (answer.status === 401 && host !== CLASSIC)
        throw new ConnectionRefused(`IBM Cloud does not take the token of the API key: it ${saidBy(answer)}.`);
      return withData(answer);
    },
    next: nextPath,
    permissionOf: (service, role) => `${role} of ${service}`,
    isIn: ({ region_id }) => regions.length === 0 || typeof region_id !== 'string' || region_id === 'global' || regions.includes(region_id),
    // only the classic infrastructure's gets here
    verdictOf: ({ status }) => (status === 404 ? 'none' : status === 403 ? 'denied' : status === 401 ? 'skipped' : 'failed'),
    skippedBecause: 'The classic infrastructure takes API keys of users alone.',
    saidBy,
  };
  const account: Place = { values: { account: account_id }, name: '' };
  let known: Promise<readonly Place[]> | undefined;
  const regionsOf = async (signal: AbortSignal): Promise<readonly Place[]> => {
    const answer = await of.ask(REGIONS, { host: REGIONS.host, path: REGIONS.path }, signal);
    if (!answer.ok) throw placeless('IBM Cloud', 'regions', saidBy(answer));
    return thingsAt(answer.body, 'regions').flatMap(({ name }) =>
      typeof name === 'string' && /^[a-z0-9-]+$/.test(name) && (regions.length === 0 || regions.includes(name))
        ? [{ region: name, values: { account: account_id, region: name }, name }]
        : [],
    );
  };
  return { of, placesOf: (where, signal) => (where === 'account' ? Promise.resolve([account]) : (known ??= regionsOf(signal))) };
}

const CURSOR = 'search_cursor';

/**
 * Where the next page is: behind a link, as an address or in an object; behind a cursor, where what is asked is searched for; or by its number, where pages are
 * counted. Links are followed on the host that gave them alone.
 */
function nextPath(path: string, page: Readonly<Record<string, unknown>>): string | undefined {
  const link = [at(page, 'next.href'), page['next'], page['next_url']].find((one) => typeof one === 'string' && one !== '');
  if (typeof link === 'string') {
    const url = URL.parse(link, 'https://path');
    return url === null ? undefined : url.pathname + url.search;
  }
  const url = new URL(path, 'https://path');
  const cursor = page[CURSOR];
  // the classic infrastructure: from where on, and how many
  const [from = NaN, most = NaN] = (url.searchParams.get('resultLimit') ?? '').split(',').map(Number);
  if (thingsAt(page, 'data').length >= most) url.searchParams.set('resultLimit', `${from + most},${most}`);
  else if (typeof cursor === 'string' && cursor !== '' && thingsAt(page, 'items').length > 0) url.searchParams.set(CURSOR, cursor);
  else {
    const { page: number, per_page, total_count } = isObject(page['result_info']) ? page['result_info'] : {};
    if (typeof number !== 'number' || typeof per_page !== 'number' || typeof total_count !== 'number') return undefined;
    if (number * per_page >= total_count) return undefined;
    url.searchParams.set('page', String(number + 1));
  }
  return url.pathname + url.search;
}

/** The code of an error, however the service writes it: texts of errors name people and things. */
function saidBy(answer: RestAnswer): string {
  const code = ['errors', 'error'].flatMap((name) => thingsAt(answer.body, name)).map(({ code: one }) => one)[0] ?? at(answer.body, 'code');
  return `answered ${answer.status}${typeof code === 'string' && /^[\w.-]{1,60}$/.test(code) ? ` (${code})` : ''}`;
}
