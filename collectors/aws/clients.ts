import { guardedHandler } from '../../kit/outbound/guarded-handler.js';
import { keyOf, type AwsCollectorOptions } from './key.js';
import type { SdkModule } from './ask.js';
import type { CallGroup, SdkClient } from './lines.js';
import type { AwsKey } from './sign.js';
import type { Target } from '../types.js';

/** Milliseconds that one request may take. */
const TIMEOUT = 30_000;
/** Bytes read of one page. */
const MOST_BYTES = 16 * 1_048_576;
/** Milliseconds for which a role's key is given out: AWS takes it for a quarter of an hour, and a call has to end in it. */
const KEPT = 9 * 60_000;

/** A key, and until when (milliseconds) it is given out; for ever where it is no role's. */
export interface HeldKey {
  readonly key: AwsKey;
  readonly until: number;
}

/** Gives the key of a target out, and takes the role on anew before its key ends. @param first the key that has just been taken */
export function keysOf(
  options: AwsCollectorOptions,
  target: Target,
  region: string,
  first: AwsKey,
  signal: AbortSignal,
): () => Promise<HeldKey> {
  const lasts = target.connection.method === 'secret' ? Infinity : KEPT;
  const now = (): number => options.clock.now().getTime();
  let held = { key: Promise.resolve(first), until: now() + lasts };
  return async () => {
    if (now() >= held.until) held = { key: keyOf(options, target, region, signal), until: now() + lasts };
    const { key, until } = held;
    return { key: await key, until };
  };
}

/** As the SDK takes it. */
async function sdkKey(held: () => Promise<HeldKey>) {
  const { key, until } = await held();
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken } = key;
  // it asks for the next one five minutes before this one ends
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken, expiration: new Date(until + 5 * 60_000) }) };
}

/**
 * Opens a client of the SDK that calls through the guard only, by the key that it is given, and takes nothing from the environment of the process
 * or from files: no key, no address, no settings.
 */
export async function openClient(
  group: CallGroup,
  { outbound, endpoint }: Pick<AwsCollectorOptions, 'outbound' | 'endpoint'>,
  region: string,
  keys: () => Promise<HeldKey>,
  signal: AbortSignal,
): Promise<{ client: SdkClient; commands: SdkModule }> {
  const commands = (await group.load()) as SdkModule;
  const Client = commands[group.client];
  if (Client === undefined) throw new Error(`aws: the SDK has no ${group.client}`);
  const client = new Client({
    region,
    credentials: () => sdkKey(keys),
    requestHandler: guardedHandler(outbound, { signal, timeoutMs: TIMEOUT, mostBytes: MOST_BYTES }),
    // what stands for all of AWS has one name, and none for each account
    ...(endpoint === undefined ? { ignoreConfiguredEndpointUrls: true } : { endpoint, disableHostPrefix: true }),
    ...(endpoint !== undefined && group.client === 'S3ControlClient' && { endpointProvider: () => ({ url: new URL(endpoint) }) }),
    // calls are made again by who waits as long as the signal lets it
    maxAttempts: 1,
    retryMode: 'standard',
    defaultsMode: 'standard',
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    userAgentAppId: 'palisade',
    authSchemePreference: ['sigv4'],
    // of S3: one address for all buckets, and so one connection
    forcePathStyle: true,
    useArnRegion: false,
    disableS3ExpressSessionAuth: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    sigv4aSigningRegionSet: [],
    // of DynamoDB and SQS: the address of the region
    accountIdEndpointMode: 'disabled',
    endpointDiscoveryEnabled: false,
    useQueueUrlAsEndpoint: false,
  });
  return { client: client as SdkClient, commands };
}
