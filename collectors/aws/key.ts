import { randomBytes } from 'node:crypto';
import { ConnectionRefused, type Target } from '../types.js';
import { callAws, elementOf, type AwsAnswer, type AwsCalls } from './client.js';
import type { AwsKey } from './sign.js';
import { assumeRole, CALLER_IDENTITY } from './sts.js';

/** What the collector is made of. */
export interface AwsCollectorOptions extends AwsCalls {
  /** The key of this deployment, by which it takes roles on; null where the operator has given none. Nothing else of the process is ever used. */
  readonly identity: AwsKey | null;
}

/** Codes of errors that say that a permission is missing. */
export const DENIED = /^(Client\.)?(AccessDenied|AccessDeniedException|UnauthorizedOperation|AuthorizationError)$/;
/** Codes of errors that say that the key is not taken. */
export const BAD_KEY =
  /^(InvalidClientTokenId|UnrecognizedClientException|SignatureDoesNotMatch|InvalidAccessKeyId|AuthFailure|ExpiredToken|ExpiredTokenException)$/;

/** The region that is asked where the account is narrowed to none. */
export function homeOf({ regions, connection }: Pick<Target, 'regions' | 'connection'>): string {
  const roleArn = connection.values['role_arn'];
  if (regions[0] !== undefined) return regions[0];
  if (roleArn?.startsWith('arn:aws-cn:')) return 'cn-north-1';
  return roleArn?.startsWith('arn:aws-us-gov:') ? 'us-gov-west-1' : 'us-east-1';
}

/** Whether something is asked: of the services that the target names, in regions where it is. */
export const isAsked = (
  { service, commercial }: { readonly service: string; readonly commercial?: true },
  { services }: Pick<Target, 'services'>,
  region: string,
): boolean => (services.length === 0 || services.includes(service)) && !(commercial && /^(cn|us-gov)-/.test(region));

/** The key by which an account is asked: that of the connection, or one of the role that it names, for a quarter of an hour. @throws ConnectionRefused */
export async function keyOf(options: AwsCollectorOptions, { connection }: Target, region: string, signal: AbortSignal): Promise<AwsKey> {
  const { method, values, external_id } = connection;
  if (method === 'secret') return { access_key_id: values['access_key_id']!, secret_access_key: values['secret_access_key']! };
  const { identity } = options;
  if (!identity)
    throw new ConnectionRefused('The operator of this deployment has given it no identity in AWS, by which it could take the role on.');
  const taken = async (externalId: string | null): Promise<AwsAnswer> =>
    callAws(options, assumeRole(values['role_arn']!, externalId), region, identity, signal);
  const answer = await taken(external_id);
  if (answer.code !== null && BAD_KEY.test(answer.code))
    throw new ConnectionRefused('AWS does not take the key of this deployment; its operator has to look.');
  if (answer.status !== 200)
    throw new ConnectionRefused(`The role does not let this deployment in: AWS answered ${answer.code ?? answer.status}.`);
  // who is let in without the external id, or with another, is let in for other tenants, too
  for (const wrong of [null, `palisade-${randomBytes(16).toString('hex')}`])
    if ((await taken(wrong)).status === 200)
      throw new ConnectionRefused(
        `The role lets in who names ${wrong === null ? 'no' : 'another'} external id: its trust must ask for the one of the template.`,
      );
  return {
    access_key_id: elementOf(answer, 'AccessKeyId')!,
    secret_access_key: elementOf(answer, 'SecretAccessKey')!,
    session_token: elementOf(answer, 'SessionToken')!,
  };
}

/** @throws ConnectionRefused when AWS does not take the key, or it is one of another account */
export async function assertOfAccount(
  options: AwsCollectorOptions,
  target: Target,
  region: string,
  key: AwsKey,
  signal: AbortSignal,
): Promise<void> {
  const answer = await callAws(options, CALLER_IDENTITY, region, key, signal);
  if (answer.status !== 200) throw new ConnectionRefused(`AWS does not take the key: it answered ${answer.code ?? answer.status}.`);
  if (elementOf(answer, 'Account') !== target.account_id) throw new ConnectionRefused('The key is one of another account.');
}

/** Whether AWS tells in a region who a key is of. @throws the reason of the signal */
export async function isTaken(options: AwsCollectorOptions, region: string, key: AwsKey, signal: AbortSignal): Promise<boolean> {
  try {
    return (await callAws(options, CALLER_IDENTITY, region, key, signal)).status === 200;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
