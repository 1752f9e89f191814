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

/** What the SDK calls a key. */
interface SdkKey {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  expiration?: Date;
}

/** Gives the key of a target out, and takes the role on anew before its key ends. @param first the key that has just been taken */
export function keysOf(
  options: AwsCollectorOptions,
  target: Target,
  region: string,
  first: AwsKey,
  signal: AbortSignal,
): () => Promise<SdkKey> {
  let held = { key: Promise.resolve(first), until: options.clock.now().getTime() + KEPT };
  return async () => {
    if (target.connection.method !== 'secret' && options.clock.now().getTime() >= held.until)
      held = { key: keyOf(options, target, region, signal), until: options.clock.now().getTime() + KEPT };
    const { until } = held;
    const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken } = await held.key;
    // the SDK asks for the next one five minutes before that
    return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken, expiration: new Date(until + 5 * 60_000) }) };
  };
}

/**
 * Opens a client of the SDK that calls through the guard only, by the key that it is given, and takes nothing from the environment of the process
 * or from files: no key, no address, no settings.
 */
export async function openClient(
  group: CallGroup,
  { outbound, endpoint }: Pick<AwsCollectorOptions, 'outbound' | 'endpoint'>,
  region: string,
  credentials: () => Promise<SdkKey>,
  signal: AbortSignal,
): Promise<{ client: SdkClient; commands: SdkModule }> {
  const commands = (await group.load()) as SdkModule;
  const Client = commands[group.client];
  if (Client === undefined) throw new Error(`aws: the SDK has no ${group.client}`);
  const client = new Client({
    region,
    credentials,
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
