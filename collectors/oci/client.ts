import type { Clock } from '../../kit/base/clock.js';
import type { Outbound } from '../../kit/outbound/outbound.js';
import { clientsOf, withData, type Hosts } from '../listing/clients.js';
import type { Interface } from '../listing/collect.js';
import type { Opened } from '../listing/collector.js';
import { at, isObject } from '../listing/thing.js';
import { createRestClient, type RestAnswer } from '../rest-client.js';
import { rsaKey } from '../rsa-key.js';
import { ConnectionRefused, type Target } from '../types.js';
import { placesIn } from './places.js';
import type { OciWhere } from './services.js';
import { signedHeaders } from './sign.js';

/** What the collector is made of. */
export interface OciCollectorOptions extends Hosts {
  readonly outbound: Pick<Outbound, 'fetch'>;
  readonly clock: Clock;
  /** Milliseconds before calls are made again; for tests. */
  readonly pauses?: readonly number[];
}

/** The header that names the next page, and the member under which the command line of Oracle prints it. */
const NEXT = 'opc-next-page';

/** The interfaces of Oracle Cloud Infrastructure, asked with the signature of the user's API key. @throws ConnectionRefused */
export function openOci(options: OciCollectorOptions, target: Target): Opened<OciWhere> {
  const { outbound, clock, pauses } = options;
  const { tenancy_ocid = '', user_ocid = '', fingerprint = '', private_key = '' } = target.connection.values;
  if (target.connection.method !== 'secret') throw new ConnectionRefused('A tenancy is connected with an API key of a user alone.');
  if (tenancy_ocid !== target.account_id) throw new ConnectionRefused('The API key is one of another tenancy than the account.');
  if (!tenancy_ocid.startsWith('ocid1.tenancy.oc1.'))
    throw new ConnectionRefused('The tenancy is not one of the commercial realm (oc1): this release asks no other.');
  const key = rsaKey(private_key, 'The private key of the user', 'The private key is no RSA key, as those of API keys are.');
  const signer = { keyId: `${tenancy_ocid}/${user_ocid}/${fingerprint}`, key };
  const clientOf = clientsOf(
    (base) =>
      createRestClient({
        ...{ outbound, clock, base, ...(pauses && { pauses }) },
        headers: (_signal, sent) => signedHeaders(signer, sent, clock.now()),
      }),
    options,
  );
  const of: Interface = {
    provider: 'oci',
    async ask(_line, { host, path }, signal) {
      const answer = withData(await clientOf(host).call({ path }, signal));
      const next = answer.header?.(NEXT);
      return answer.ok && next && isObject(answer.body) ? { ...answer, body: { ...answer.body, [NEXT]: next } } : answer;
    },
    next(path, page) {
      const token = page[NEXT];
      if (typeof token !== 'string') return undefined;
      const url = new URL(path, 'https://path');
      url.searchParams.set('page', token);
      return url.pathname + url.search;
    },
    // what one may not see is told as what is not there
    verdictOf: (answer) =>
      answer.status === 403 || (answer.status === 404 && codeOf(answer) === 'NotAuthorizedOrNotFound')
        ? 'denied'
        : answer.status === 404
          ? 'none'
          : 'failed',
    saidBy,
  };
  return { of, placesOf: placesIn(of, target) };
}

function codeOf({ body }: RestAnswer): string | undefined {
  const code = at(body, 'code');
  return typeof code === 'string' && /^\w{1,60}$/.test(code) ? code : undefined;
}

/** The code of an error; its text names people and things. */
export function saidBy(answer: RestAnswer): string {
  const code = codeOf(answer);
  return `answered ${answer.status}${code === undefined ? '' : ` (${code})`}`;
}
