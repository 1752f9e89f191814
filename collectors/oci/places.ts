import type { Interface, Place } from '../listing/collect.js';
import { placeless, type Opened } from '../listing/collector.js';
import type { Line } from '../listing/line.js';
import { filled, thingsAt } from '../listing/thing.js';
import { pagesOf } from '../pages.js';
import { CallFailed, type RestAnswer } from '../rest-client.js';
import { ConnectionRefused, type Target } from '../types.js';
import type { OciWhere } from './services.js';

const IDENTITY = 'identity.{region}.oci.oraclecloud.com';
const LIMIT = 'limit=1000';
const line = (call: string, permission: string, path: string, host = IDENTITY): Line => ({ call, permission, host, path });
/** What tells where to ask. */
export const PLACES = {
  regions: line('list-regions', 'inspect tenancies', '/20160918/tenancies/{tenancy}/regionSubscriptions'),
  compartments: line(
    'list-compartments',
    'inspect compartments',
    `/20160918/compartments?compartmentId={tenancy}&compartmentIdInSubtree=true&accessLevel=ACCESSIBLE&${LIMIT}`,
  ),
  namespace: line('get-namespace', 'read objectstorage-namespaces', '/n/', 'objectstorage.{region}.oraclecloud.com'),
} as const;

/** Regions in which a tenancy may be at home, the largest first: none knows a tenancy that has not subscribed to it. */
const HOMES =
  `us-ashburn-1 us-phoenix-1 eu-frankfurt-1 uk-london-1 ap-tokyo-1 ap-mumbai-1 ap-sydney-1 sa-saopaulo-1 ca-toronto-1 ap-seoul-1 ap-singapore-1 eu-amsterdam-1
  eu-zurich-1 me-jeddah-1 me-dubai-1 ap-osaka-1 ap-melbourne-1 ap-hyderabad-1 ap-chuncheon-1 ca-montreal-1 uk-cardiff-1 us-sanjose-1 sa-vinhedo-1 sa-santiago-1
  il-jerusalem-1 eu-milan-1 eu-stockholm-1 eu-marseille-1 eu-paris-1 eu-madrid-1 mx-queretaro-1 af-johannesburg-1 us-chicago-1`.split(
    /\s+/,
  );

interface Tenancy {
  readonly home: string;
  readonly regions: readonly string[];
  readonly compartments: readonly string[];
  readonly namespace: string;
}

const ORACLE = 'Oracle Cloud Infrastructure';

/** The places of a tenancy: the tenancy itself, its compartments at home, and its compartments in each region that is asked. */
export function placesIn(of: Interface, { account_id: tenancy, regions }: Target): Opened<OciWhere>['placesOf'] {
  let known: Promise<Tenancy> | undefined;
  return async (where, signal) => {
    const { home, regions: all, compartments, namespace } = await (known ??= tenancyOf(of, tenancy, regions, signal));
    const place = (region: string, compartment: string): Place => ({
      region,
      name: region,
      values: { tenancy, region, compartment, namespace },
    });
    if (where === 'tenancy') return [place(home, tenancy)];
    if (where === 'compartments') return compartments.map((compartment) => place(home, compartment));
    return all.flatMap((region) => compartments.map((compartment) => place(region, compartment)));
  };
}

async function tenancyOf(of: Interface, tenancy: string, wanted: readonly string[], signal: AbortSignal): Promise<Tenancy> {
  const ask = (asked: Line, region: string, path?: string): Promise<RestAnswer> => {
    const holder = { item: { tenancy, region } };
    const address = { host: filled(asked.host, holder) ?? '', path: path ?? filled(asked.path, holder, encodeURIComponent) ?? '' };
    return of.ask(asked, address, signal);
  };
  const { region, answer } = await subscribedRegion((one) => ask(PLACES.regions, one), of, wanted);
  const subscribed = thingsAt(answer.body, 'data').flatMap(({ regionName, status, isHomeRegion }) =>
    typeof regionName === 'string' && status === 'READY' ? [{ name: regionName, isHome: isHomeRegion === true }] : [],
  );
  const home = subscribed.find(({ isHome }) => isHome)?.name ?? region;
  const first = new URL(filled(PLACES.compartments.path, { item: { tenancy } }, encodeURIComponent)!, 'https://path');
  const compartments = [tenancy];
  let path = first.pathname + first.search;
  const pages = pagesOf(
    (next) => ask(PLACES.compartments, home, (path = next ?? path)),
    (page) => of.next(path, page),
  );
  for (;;) {
    const { done, value } = await pages.next();
    if (!done)
      compartments.push(
        ...thingsAt(value, 'data').flatMap(({ id, lifecycleState }) =>
          typeof id === 'string' && lifecycleState !== 'DELETED' && lifecycleState !== 'DELETING' ? [id] : [],
        ),
      );
    else if (value !== undefined) throw placeless(ORACLE, 'compartments', of.saidBy(value.answer));
    else break;
  }
  const named = await ask(PLACES.namespace, home);
  if (typeof named.body !== 'string') throw placeless(ORACLE, 'namespace of object storage', of.saidBy(named));
  const names = subscribed.map(({ name }) => name);
  return { home, compartments, namespace: named.body, regions: names.filter((name) => wanted.length === 0 || wanted.includes(name)) };
}

/** A region that knows the tenancy, with what it says of the others. The first that does not refuse the key is one. */
async function subscribedRegion(
  ask: (region: string) => Promise<RestAnswer>,
  of: Interface,
  wanted: readonly string[],
): Promise<{ region: string; answer: RestAnswer }> {
  let said = 'cannot be reached';
  for (const region of [...wanted, ...HOMES.filter((one) => !wanted.includes(one))]) {
    if (!/^[a-z0-9-]+$/.test(region)) continue;
    const answer = await ask(region).catch((error: unknown) => {
      // a region that people have misspelled has no address
      if (error instanceof CallFailed) return undefined;
      throw error;
    });
    if (answer?.ok) return { region, answer };
    if (answer !== undefined && answer.status !== 401) throw placeless(ORACLE, 'regions', of.saidBy(answer));
    if (answer !== undefined) said = of.saidBy(answer);
  }
  throw new ConnectionRefused(`${ORACLE} does not take the API key of the user in any region: it ${said}.`);
}
