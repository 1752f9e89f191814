import { z } from 'zod';
import { servicesOf } from '../../../collectors/calls.js';
import type { Provider } from '../../../schema/model.js';
import { invalid, violationsOf, type Violation } from '../../../kit/base/errors.js';
import { setMembers } from '../../../kit/base/set-members.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { ForbiddenTarget } from '../../../kit/outbound/outbound.js';
import { CREDENTIALS, methodsOf, METHODS, type Credential, type Method } from './credential.js';
import type { AccountScope } from './records.js';

/** The ways to connect as a client names them: one of them, with its values. */
export type CredentialInput = Partial<Record<Method, Record<string, unknown> | null>>;

/** What a client says of an account; a change leaves out what stays. */
export interface CloudAccountInput {
  provider?: Provider;
  account_id?: string;
  name?: string | null;
  scope?: { regions?: string[] | null; services?: string[] | null } | null;
  tags?: { name: string; value: string }[] | null;
  state?: 'connected' | 'paused' | null;
  connection?: CredentialInput | null;
}

const ACCOUNT_IDS: Readonly<Record<Provider, readonly [form: RegExp, message: string]>> = {
  aws: [/^\d{12}$/, 'must be the 12 digits of an AWS account'],
  azure: [/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'must be the id of a subscription, in lower case'],
  gcp: [/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/, 'must be the id of a project'],
  oci: [/^ocid1\.(tenancy|compartment)\.[a-z0-9.-]{10,200}$/, 'must be the OCID of a tenancy or compartment'],
  alicloud: [/^\d{10,20}$/, 'must be the number of an account'],
  ibm: [/^[0-9a-f]{32}$/, 'must be the id of an account'],
  k8s: [/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be a name of 1 to 100 of A-Z a-z 0-9 . _ -'],
};
const REGION = /^[a-z0-9][a-z0-9-]{1,40}$/i;

const names = (most: number, form: RegExp, message: string) => z.array(z.string().regex(form, message)).max(most);
const scope = (provider: Provider) =>
  z.strictObject({
    regions: names(100, REGION, 'must be names of regions').default([]),
    services: z
      .array(z.enum(servicesOf(provider) as [string, ...string[]]))
      .max(100)
      .default([]),
  });
const tags = z.array(z.strictObject({ name: z.string().trim().min(1).max(128), value: z.string().trim().max(256) })).max(50);

export const checkName = (name: unknown): string => parse(z.object({ name: z.string().trim().min(1).max(100) }), { name }).name;

export const checkScope = (provider: Provider, given: CloudAccountInput['scope']): AccountScope =>
  parse(z.object({ scope: scope(provider) }), { scope: setMembers(given) }).scope;

export function checkTags(given: CloudAccountInput['tags']): Record<string, string> {
  return Object.fromEntries(parse(z.object({ tags }), { tags: given ?? [] }).tags.map(({ name, value }) => [name, value]));
}

/** @throws PalisadeError VALIDATION_ERROR */
export function checkAccountId(provider: Provider, accountId: string): string {
  const [form, message] = ACCOUNT_IDS[provider];
  if (!form.test(accountId)) throw invalid([{ path: 'account_id', message }]);
  return accountId;
}

/**
 * Checks how an account is connected: exactly one way of its provider, with the values of that way and no others.
 * @throws PalisadeError VALIDATION_ERROR that names every path and no value
 */
export function checkCredential(context: EngineContext, provider: Provider, accountId: string, given: CredentialInput): Credential {
  const named = METHODS.filter((method) => given[method] != null);
  const known = methodsOf(provider);
  const [method] = named;
  if (!method || named.length > 1) throw invalid([{ path: 'connection', message: `must hold exactly one of ${known.join(', ')}` }]);
  const schema = (CREDENTIALS[provider] as Partial<Record<Method, z.ZodType<Record<string, string>>>>)[method];
  if (!schema) throw invalid([{ path: `connection.${method}`, message: `is no way to connect ${provider}: take ${known.join(' or ')}` }]);
  const values = parse(z.object({ connection: z.object({ [method]: schema }) }), { connection: { [method]: setMembers(given[method]) } });
  const credential: Credential = { method, values: values.connection[method]! };
  const faults = [...foreign(context, provider, accountId, credential), ...unreachable(context, credential)];
  if (faults.length > 0) throw invalid(faults);
  return credential;
}

/** What names another account than the one that is connected, or one of the operator's own. */
function* foreign({ services }: EngineContext, provider: Provider, accountId: string, { method, values }: Credential): Iterable<Violation> {
  if (services.config.OPERATOR_CLOUD_ACCOUNTS?.includes(accountId))
    yield { path: 'account_id', message: 'is one of the operator: it cannot be connected' };
  const { role_arn, tenancy_ocid, service_account_email } = values;
  const project = service_account_email && /@([^.]+)\./.exec(service_account_email)?.[1];
  if (project && services.config.OPERATOR_CLOUD_ACCOUNTS?.includes(project))
    yield { path: `connection.${method}.service_account_email`, message: 'is one of the operator: it cannot be used' };
  const account = role_arn === undefined ? undefined : /::(\d+):/.exec(role_arn)?.[1];
  if (account !== undefined && account !== accountId)
    yield { path: `connection.${method}.role_arn`, message: 'must be a role of the account itself' };
  if (provider === 'oci' && accountId.startsWith('ocid1.tenancy.') && tenancy_ocid !== accountId)
    yield { path: `connection.${method}.tenancy_ocid`, message: 'must be the tenancy itself' };
}

/** An address that may not be called from here. */
function* unreachable({ services }: EngineContext, { method, values }: Credential): Iterable<Violation> {
  if (values['server'] === undefined) return;
  try {
    services.outbound.assertAllowed(values['server']);
  } catch (error) {
    if (!(error instanceof ForbiddenTarget)) throw error;
    yield { path: `connection.${method}.server`, message: error.message };
  }
}

function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid(violationsOf(parsed.error));
}
