import { createIbmCollector } from '../../collectors/ibm/collector.js';
import { fixedClock } from '../../kit/base/clock.js';
import type { createOutbound } from '../../kit/outbound/outbound.js';
import type { Target } from '../../collectors/types.js';
import { openReceiver, type Reply } from '../support/receiver.js';
import { recordedOf } from './recorded.js';
import { hostAndPath, json, pageAt } from './stand.js';

export const NOW = '2026-03-01T12:00:00.000Z';
export const ACCOUNT = '0123456789abcdef0123456789abcdef';
export const API_KEY = 'key-of-the-service-id';

/** How a service of IBM Cloud pages its lists, as each documents it. */
type Paging = 'href' | 'next' | 'next_url' | 'numbered' | 'cursor' | 'offset' | 'whole';

/** What a host answers below a path. */
export interface IbmAnswer {
  readonly list?: string;
  readonly things?: readonly unknown[];
  readonly paging?: Paging;
  /** In place of a list. */
  readonly body?: unknown;
}

export interface IbmWorld {
  /** `host/path` without its query -> what it answers. */
  readonly answers: Readonly<Record<string, IbmAnswer>>;
  readonly page: number;
  instead(call: { host: string; path: string; n: number }): Reply | undefined;
}

const REFUSED = { errorCode: 'BXNIM0415E', errorMessage: `Provided API key ${API_KEY} could not be found.` };

/** A page in the form of its service; links name the host that is documented, and the query tells where they go on. */
function paged({ list = '', things = [], paging = 'whole' }: IbmAnswer, url: URL, from: number, size: number): unknown {
  const { page, next } = pageAt(things, from, paging === 'whole' ? things.length : size);
  const link = new URL(url);
  const key = paging === 'next' ? 'pagetoken' : paging === 'next_url' ? 'next_docid' : 'start';
  if (next !== undefined) link.searchParams.set(key, String(next));
  if (list === 'data') return page;
  switch (paging) {
    case 'href':
      return { [list]: page, limit: size, ...(next !== undefined && { next: { href: link.href } }) };
    case 'next':
      return { [list]: page, ...(next !== undefined && { next: link.href }) };
    case 'next_url':
      return { [list]: page, rows_count: page.length, next_url: next === undefined ? null : link.pathname + link.search };
    case 'numbered':
      return { [list]: page, success: true, result_info: { page: from / size + 1, per_page: size, total_count: things.length } };
    case 'cursor':
      return { [list]: page, limit: size, search_cursor: String(next ?? things.length) };
    case 'offset':
    case 'whole':
      return { [list]: page };
  }
}

/** IBM Cloud as far as it is asked, as it is documented: keys become tokens, tokens are looked at, lists are paged as each service does. */
export async function ibmStand(given: Partial<IbmWorld>, outbound: ReturnType<typeof createOutbound>) {
  const world: IbmWorld = { answers: {}, page: 100, instead: () => undefined, ...given };
  const regions = ['us-south', 'eu-de'].map((name) => ({ name, status: 'available' }));
  const asked: string[] = [];
  let tokens = 0;
  const receiver = await openReceiver(({ path, headers, body }, n) => {
    const { host, url } = hostAndPath(path);
    if (host === 'iam.cloud.ibm.com' && url.pathname === '/identity/token') {
      const form = new URLSearchParams(body);
      const isRight = form.get('grant_type') === 'urn:ibm:params:oauth:grant-type:apikey' && form.get('apikey') === API_KEY;
      if (headers['content-type'] !== 'application/x-www-form-urlencoded' || !isRight) return json(400, REFUSED);
      return json(200, { access_token: `token-${++tokens}`, token_type: 'Bearer', expires_in: 3_600 });
    }
    const instead = world.instead({ host, path: url.pathname, n });
    if (instead !== undefined) return instead;
    if (headers.authorization !== `Bearer token-${tokens}`) return json(401, { errors: [{ code: 'not_authorized', message: 'no' }] });
    const isVpc = host.endsWith('.iaas.cloud.ibm.com');
    if (isVpc && !/^\d{4}-\d\d-\d\d$/.test(url.searchParams.get('version') ?? '')) return json(400, { errors: [{ code: 'bad_field' }] });
    if (isVpc && url.pathname === '/v1/regions') return json(200, { regions });
    const key = `${host}${decodeURIComponent(url.pathname)}`;
    const answer = world.answers[key];
    asked.push(key);
    // what nobody has written down here is no address of IBM's
    if (answer === undefined) return json(isVpc && !url.pathname.split('/')[3] ? 200 : 404, { errors: [{ code: 'not_found' }] });
    if (answer.body !== undefined) return json(200, answer.body);
    const type = url.searchParams.get('type');
    const ofType = (answer.things ?? []).filter((thing) => [undefined, type].includes((thing as { type?: string }).type) || type === null);
    const size = Math.min(world.page, Number(url.searchParams.get('limit') ?? url.searchParams.get('pagesize') ?? world.page));
    const cursor = body === '' ? undefined : (JSON.parse(body) as { search_cursor?: string }).search_cursor;
    const at = ['start', 'pagetoken', 'next_docid'].map((name) => url.searchParams.get(name)).find((one) => one !== null) ?? cursor ?? 0;
    const [offset = 0, most = 0] = (url.searchParams.get('resultLimit') ?? '').split(',').map(Number);
    if (answer.paging === 'offset') return json(200, paged({ ...answer, things: ofType }, url, offset, most));
    const from = answer.paging === 'numbered' ? (Number(url.searchParams.get('page') ?? 1) - 1) * size : Number(at);
    return json(200, paged({ ...answer, things: ofType }, url, from, size));
  });
  const baseOf = (host: string): string => `${receiver.url}/${host}`;
  const collector = createIbmCollector({ outbound, clock: fixedClock(NOW), baseOf, pauses: [10, 10] });
  const collect = (of: Target, signal?: AbortSignal) => recordedOf(collector, of, signal);
  return { ...receiver, collector, collect, asked, tokens: () => tokens };
}
