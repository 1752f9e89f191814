import { createPublicKey, generateKeyPairSync, verify, type KeyObject } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createOciCollector } from '../../collectors/oci/collector.js';
import type { Target } from '../../collectors/types.js';
import { fixedClock } from '../../kit/base/clock.js';
import type { createOutbound } from '../../kit/outbound/outbound.js';
import { openReceiver, type Reply } from '../support/receiver.js';
import { recordedOf } from './recorded.js';
import { hostAndPath, json, pageAt } from './stand.js';

export const NOW = '2026-03-01T12:00:00.000Z';
export const TENANCY = 'ocid1.tenancy.oc1..aaaaaaaashoptenancy';
export const USER = 'ocid1.user.oc1..aaaaaaaareader';
export const SHOP = 'ocid1.compartment.oc1..aaaaaaaashopcompartment';
export const FINGERPRINT = '20:3b:97:13:55:1c:5b:0d:d3:37:d8:50:4e:c5:3a:34';
export const HOME = 'eu-frankfurt-1';
export const FAR = 'us-phoenix-1';
const pair = (): { publicKey: KeyObject; privateKey: KeyObject } => generateKeyPairSync('rsa', { modulusLength: 2_048 });
export const [theirs, another] = [pair(), pair()];
export const inPem = ({ privateKey }: { privateKey: KeyObject }): string => privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

/** What a host answers below a path: a list, alone or as `items` of an object, or one thing. */
export interface OciAnswer {
  readonly things?: readonly Readonly<Record<string, unknown>>[];
  readonly items?: true;
  readonly body?: unknown;
}

export interface OciWorld {
  /** `host/path` without its query -> what it answers. */
  readonly answers: Readonly<Record<string, OciAnswer>>;
  readonly page: number;
  instead(call: { host: string; path: string; query: URLSearchParams }): Reply | undefined;
}

/** Headers that must be signed (Request Signatures, Required Headers): of every call, and of one with a body. */
const REQUIRED = ['date', '(request-target)', 'host'];
const OF_BODY = ['content-length', 'content-type', 'x-content-sha256'];

/** Whether a call has the signature that is documented: named headers, a line each in their order, signed by the key of the id. */
function isSigned(path: string, headers: IncomingHttpHeaders, body: string): boolean {
  const fields = new Map([...(headers.authorization ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name!, value!]));
  const names = fields.get('headers')?.split(' ') ?? [];
  const needed = body === '' ? REQUIRED : [...REQUIRED, ...OF_BODY];
  const apart = Math.abs(Date.parse(headers.date ?? '') - Date.parse(NOW));
  if (!/^Signature version="1",/.test(headers.authorization ?? '') || fields.get('algorithm') !== 'rsa-sha256') return false;
  if (fields.get('keyId') !== `${TENANCY}/${USER}/${FINGERPRINT}` || needed.some((name) => !names.includes(name))) return false;
  if (!(apart <= 300_000)) return false;
  const target = `${body === '' ? 'get' : 'post'} ${path}`;
  const lines = names.map((name) => `${name}: ${name === '(request-target)' ? target : String(headers[name])}`);
  const key = createPublicKey(theirs.publicKey.export({ type: 'spki', format: 'pem' }));
  return verify('RSA-SHA256', Buffer.from(lines.join('\n')), key, Buffer.from(fields.get('signature') ?? '', 'base64'));
}

const refused = (status: number, code: string, headers: Record<string, string> = {}): Reply =>
  json(status, { code, message: `${USER} in ${TENANCY}` }, headers);

/** Oracle Cloud Infrastructure as far as it is asked, as it is documented: signatures are verified, lists are paged by a header, compartments hold things. */
export async function ociStand(given: Partial<OciWorld>, outbound: ReturnType<typeof createOutbound>) {
  const world: OciWorld = { answers: {}, page: 100, instead: () => undefined, ...given };
  const asked: string[] = [];
  const regions = [HOME, FAR].map((regionName) => ({ regionName, regionKey: '?', status: 'READY', isHomeRegion: regionName === HOME }));
  const compartments = [
    { id: SHOP, compartmentId: TENANCY, name: 'shop', lifecycleState: 'ACTIVE' },
    { id: `${SHOP}old`, compartmentId: TENANCY, name: 'old', lifecycleState: 'DELETED' },
  ];
  const receiver = await openReceiver(({ path, headers, body }) => {
    const { host, url } = hostAndPath(path);
    const query = url.searchParams;
    const instead = world.instead({ host, path: url.pathname, query });
    if (instead !== undefined) return instead;
    // a region that the tenancy has not subscribed to does not know it
    if (![HOME, FAR].some((region) => host.includes(region)) || !isSigned(path, headers, body)) return refused(401, 'NotAuthenticated');
    const key = `${host}${decodeURIComponent(url.pathname)}`;
    if (key.startsWith('identity.') && url.pathname === `/20160918/tenancies/${TENANCY}/regionSubscriptions`) return json(200, regions);
    if (key === `objectstorage.${HOME}.oraclecloud.com/n/`) return json(200, 'shopspace');
    asked.push(key);
    const isTree = query.get('compartmentIdInSubtree') === 'true';
    const answer: OciAnswer | undefined = isTree ? { things: compartments } : world.answers[key];
    if (answer?.body !== undefined) return json(200, answer.body);
    if (answer === undefined && !query.has('compartmentId')) return json(404, { code: 'NotFound', message: 'no such thing' });
    const inside = (answer?.things ?? []).filter(
      ({ compartmentId = SHOP }) => isTree || [null, compartmentId].includes(query.get('compartmentId')),
    );
    const { page, next } = pageAt(inside, Number(query.get('page') ?? 0), Math.min(world.page, Number(query.get('limit') ?? world.page)));
    const more: Record<string, string> = next === undefined ? {} : { 'opc-next-page': String(next) };
    return json(200, answer?.items ? { items: page } : page, more);
  });
  const baseOf = (host: string): string => `${receiver.url}/${host}`;
  const collector = createOciCollector({ outbound, clock: fixedClock(NOW), baseOf, pauses: [10, 10] });
  const collect = (of: Target, signal?: AbortSignal) => recordedOf(collector, of, signal);
  return { ...receiver, collector, collect, asked };
}

export { refused };
