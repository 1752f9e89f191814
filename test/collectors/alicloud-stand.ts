import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createAlicloudCollector } from '../../collectors/alicloud/collector.js';
import type { Target } from '../../collectors/types.js';
import { fixedClock } from '../../kit/base/clock.js';
import type { createOutbound } from '../../kit/outbound/outbound.js';
import { openReceiver, type Reply } from '../support/receiver.js';
import { recordedOf } from './recorded.js';
import { hostAndPath, json, pageAt } from './stand.js';

export const NOW = '2026-03-01T12:00:00.000Z';
export const ACCOUNT = '1234567890123456';
export const KEY = { id: 'LTAI5tReader', secret: 'secret-of-the-reader' };
export const HOME = 'cn-hangzhou';
export const FAR = 'eu-central-1';

/** What an operation answers. A list stands at a path of the answer. */
export interface AcsAnswer {
  readonly list?: string;
  readonly things?: readonly unknown[];
  readonly paging?: 'number' | 'record' | 'token' | 'marker';
  readonly body?: unknown;
}

export interface AcsWorld {
  /** `host Action`, and behind it the value of the parameter that names a thing -> what it answers. */
  readonly answers: Readonly<Record<string, AcsAnswer>>;
  /** `host?query` of the object storage -> a document. */
  readonly documents: Readonly<Record<string, string>>;
  readonly page: number;
  instead(call: { host: string; action: string; url: URL }): Reply | undefined;
}

const sha = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const mac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text, 'utf8').digest();
/** Escapes as the documentation of both signatures asks for: all but letters, digits and `-_.~`. */
const escape = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) =>
      /[\w.~-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');
const ordered = (url: URL, join: (name: string, value: string) => string): string =>
  [...url.searchParams]
    .map(([name, value]) => join(escape(name), escape(value)))
    .sort()
    .join('&');
const fieldsOf = (text: string): Map<string, string> =>
  new Map([...text.matchAll(/(\w+)=([^,]+)/g)].map(([, name, value]) => [name!, value!]));

const NEEDED = ['host', 'x-acs-action', 'x-acs-content-sha256', 'x-acs-date', 'x-acs-signature-nonce', 'x-acs-version'];

/** Why a call has not the signature of version 3, as it is documented; undefined where it has. */
function acsFault(url: URL, path: string, headers: IncomingHttpHeaders, nonces: Set<string>): string | undefined {
  const [scheme, ...rest] = (headers.authorization ?? '').split(' ');
  const fields = fieldsOf(rest.join(' '));
  const names = fields.get('SignedHeaders')?.split(';') ?? [];
  if (scheme !== 'ACS3-HMAC-SHA256' || fields.get('Credential') !== KEY.id) return 'InvalidAccessKeyId.NotFound';
  if (NEEDED.some((name) => !names.includes(name)) || headers['x-acs-content-sha256'] !== sha('')) return 'IncompleteSignature';
  const nonce = String(headers['x-acs-signature-nonce']);
  if (nonces.has(nonce)) return 'SignatureNonceUsed';
  nonces.add(nonce);
  const values = names.map((name) => `${name}:${String(headers[name]).trim()}\n`).join('');
  const request = `GET\n${path}\n${ordered(url, (name, value) => `${name}=${value}`)}\n${values}\n${names.join(';')}\n${sha('')}`;
  const right = createHmac('sha256', KEY.secret)
    .update(`ACS3-HMAC-SHA256\n${sha(request)}`)
    .digest('hex');
  if (fields.get('Signature') !== right || headers['x-acs-date'] !== '2026-03-01T12:00:00Z') return 'SignatureDoesNotMatch';
  return url.searchParams.get('Action') === headers['x-acs-action'] && url.searchParams.get('Version') === headers['x-acs-version']
    ? undefined
    : 'InvalidAction.NotFound';
}

/** The same of the object storage, version 4. */
function ossFault(host: string, url: URL, headers: IncomingHttpHeaders): string | undefined {
  const fields = fieldsOf(headers.authorization ?? '');
  const [bucket, region] = host.startsWith('oss-')
    ? ['', host.slice(4).split('.')[0]!]
    : [`${host.split('.')[0]!}/`, host.split('.')[1]!.slice(4)];
  const date = String(headers['x-oss-date']);
  const scope = `${date.slice(0, 8)}/${region}/oss/aliyun_v4_request`;
  const own = ['x-oss-content-sha256', 'x-oss-date'].map((name) => `${name}:${String(headers[name])}\n`).join('');
  const request = `GET\n/${bucket}\n${ordered(url, (name, value) => (value === '' ? name : `${name}=${value}`))}\n${own}\n\nUNSIGNED-PAYLOAD`;
  const day = mac(`aliyun_v4${KEY.secret}`, date.slice(0, 8));
  const right = mac(
    mac(mac(mac(day, region), 'oss'), 'aliyun_v4_request'),
    `OSS4-HMAC-SHA256\n${date}\n${scope}\n${sha(request)}`,
  ).toString('hex');
  if (fields.get('Credential') !== `${KEY.id}/${scope}`) return 'InvalidAccessKeyId';
  return date === '20260301T120000Z' && fields.get('Signature') === right ? undefined : 'SignatureDoesNotMatch';
}

export const refused = (status: number, Code: string): Reply => json(status, { Code, Message: `${KEY.id} may not`, RequestId: 'R' });
const document = (status: number, body: string): Reply => ({ status, headers: { 'content-type': 'application/xml' }, body });
export const ossRefused = (status: number, code: string): Reply =>
  document(status, `<Error><Code>${code}</Code><Message>no</Message></Error>`);

/** An answer with its list where it stands, and what tells of the next page, as the product does. */
function paged({ list = '', things = [], paging }: AcsAnswer, url: URL, most: number): unknown {
  const asked = (name: string): number => Number(url.searchParams.get(name) ?? 0);
  // one product says how many a page has, another how many this one has
  const size = paging === undefined ? things.length : paging === 'record' ? asked('PageSize') : Math.min(most, asked('PageSize') || most);
  const ofNumber = (Math.max(1, asked('PageNumber')) - 1) * size;
  const from = paging === 'token' ? asked('NextToken') : paging === 'marker' ? asked('Marker') : ofNumber;
  const { page, next } = pageAt(things, from, size);
  const nested = list.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), page) as object;
  const PageNumber = asked('PageNumber');
  switch (paging) {
    case 'token':
      return { ...nested, ...(next !== undefined && { NextToken: String(next) }) };
    case 'marker':
      return { ...nested, IsTruncated: next !== undefined, ...(next !== undefined && { Marker: String(next) }) };
    case 'record':
      return { ...nested, PageNumber, PageRecordCount: page.length, TotalRecordCount: things.length };
    default:
      return { ...nested, PageNumber, PageSize: size, TotalCount: things.length };
  }
}

/** Alibaba Cloud as far as it is asked, as it is documented: signatures of both kinds are made again, lists are paged as each product does. */
export async function alicloudStand(given: Partial<AcsWorld>, outbound: ReturnType<typeof createOutbound>) {
  const world: AcsWorld = { answers: {}, documents: {}, page: 100, instead: () => undefined, ...given };
  const [asked, nonces] = [[] as string[], new Set<string>()];
  const receiver = await openReceiver(({ path, headers }) => {
    const { host, url } = hostAndPath(path);
    const action = url.searchParams.get('Action') ?? '';
    const instead = world.instead({ host, action, url });
    if (instead !== undefined) return instead;
    if (/(?:^|\.)oss-/.test(host)) {
      const fault = ossFault(host, url, headers);
      if (fault !== undefined) return ossRefused(403, fault);
      const key = `${host}${url.search}`;
      asked.push(key);
      return world.documents[key] === undefined ? ossRefused(404, 'NoSuchBucketPolicy') : document(200, world.documents[key]);
    }
    const fault = acsFault(url, path.split('?')[0]!, headers, nonces);
    if (fault !== undefined) return refused(fault === 'InvalidAction.NotFound' ? 404 : 400, fault);
    if (action === 'DescribeRegions') return json(200, { Regions: { Region: [HOME, FAR].map((RegionId) => ({ RegionId })) } });
    const about =
      [...url.searchParams].find(([name]) => /(?:Id|Name|^Name)$/.test(name) && name !== 'RegionId' && !/^Policy/.test(name))?.[1] ??
      url.searchParams.get('DBInstanceType') ??
      url.searchParams.get('Direction') ??
      url.searchParams.get('PolicyName');
    const key = [host, action, ...(about === null ? [] : [about])].join(' ');
    asked.push(key);
    const answer = world.answers[key];
    if (answer?.body !== undefined) return json(200, answer.body);
    if (answer === undefined && about !== null && !['replicate', 'sharding', 'in', 'out'].includes(about))
      return refused(404, 'EntityNotExist.Thing');
    return json(200, paged(answer ?? {}, url, world.page));
  });
  const baseOf = (host: string): string => `${receiver.url}/${host}`;
  const collector = createAlicloudCollector({ outbound, clock: fixedClock(NOW), baseOf, pauses: [10, 10] });
  const collect = (of: Target, signal?: AbortSignal) => recordedOf(collector, of, signal);
  return { ...receiver, collector, collect, asked };
}
