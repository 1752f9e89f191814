import { z } from 'zod';
import type { Provider } from '../../../schema/model.js';
import type { MasterKey } from '../../../kit/keys/master-key.js';
import { seal, unseal } from '../../../kit/keys/seal.js';
import type { CloudAccountRow } from './records.js';

const text = (most = 500) => z.string().trim().min(1).max(most);
const secret = z.string().min(8).max(8_000);
const pem = z
  .string()
  .max(16_000)
  .regex(/^-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]+-----END [A-Z ]*PRIVATE KEY-----\s*$/, 'must be a private key in PEM');
const uuid = z.uuid({ error: 'must be a UUID' });
const email = z
  .string()
  .regex(/^[a-z0-9-]{1,63}@[a-z0-9.:-]{1,100}\.iam\.gserviceaccount\.com$/, 'must be the address of a service account');
const awsRole = z.string().regex(/^arn:(aws|aws-us-gov|aws-cn):iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/, 'must be the ARN of an IAM role');
const ramRole = z.string().regex(/^acs:ram::\d{1,20}:role\/[\w.-]{1,64}$/, 'must be the ARN of a RAM role');
const ocid = (kind: string) => z.string().regex(new RegExp(`^ocid1\\.${kind}\\.[a-z0-9.-]{10,200}$`), `must be the OCID of a ${kind}`);

/** Ways to connect. */
export const METHODS = ['role', 'workload_identity', 'secret'] as const;
export type Method = (typeof METHODS)[number];

/**
 * What each way takes, by provider: strict, so that nothing comes in by which the one who connects would choose what our process runs, reads or
 * calls (decision 61): no command, no file, no proxy, no address of a token service.
 */
export const CREDENTIALS = {
  aws: {
    role: z.strictObject({ role_arn: awsRole }),
    secret: z.strictObject({
      access_key_id: z.string().regex(/^AKIA[A-Z0-9]{12,124}$/, 'must be the id of a long-term access key'),
      secret_access_key: secret,
    }),
  },
  azure: {
    workload_identity: z.strictObject({ directory_id: uuid, client_id: uuid }),
    secret: z.strictObject({ directory_id: uuid, client_id: uuid, client_secret: secret }),
  },
  gcp: {
    workload_identity: z.strictObject({
      workload_provider: z
        .string()
        .regex(
          /^projects\/\d{1,20}\/locations\/global\/workloadIdentityPools\/[a-z0-9-]{4,32}\/providers\/[a-z0-9-]{4,32}$/,
          'must be the name of a workload identity provider',
        ),
      service_account_email: email,
    }),
    secret: z.strictObject({ service_account_email: email, private_key: pem, private_key_id: text(100) }),
  },
  oci: {
    secret: z.strictObject({
      tenancy_ocid: ocid('tenancy'),
      user_ocid: ocid('user'),
      fingerprint: z.string().regex(/^([0-9a-f]{2}:){15}[0-9a-f]{2}$/, 'must be the fingerprint of an API key'),
      private_key: pem,
    }),
  },
  alicloud: {
    role: z.strictObject({ role_arn: ramRole }),
    secret: z.strictObject({ access_key_id: text(128), access_key_secret: secret }),
  },
  ibm: {
    workload_identity: z.strictObject({ profile_id: z.string().regex(/^Profile-[0-9a-f-]{36}$/, 'must be the id of a trusted profile') }),
    secret: z.strictObject({ api_key: secret }),
  },
  k8s: {
    secret: z.strictObject({
      server: z.url({ protocol: /^https$/, error: 'must be an https address' }).max(2_000),
      ca_certificate: z
        .string()
        .max(32_000)
        .regex(/^-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----\s*$/, 'must be certificates in PEM'),
      token: secret,
    }),
  },
} as const satisfies Record<Provider, Partial<Record<Method, z.ZodType>>>;

/** The ways that a provider knows. */
export const methodsOf = (provider: Provider): Method[] => METHODS.filter((method) => method in CREDENTIALS[provider]);

/** What is sealed of a connection. */
export interface Credential {
  /** `recorded` is the demo's alone. */
  method: Method | 'recorded';
  values: Record<string, string>;
}

const keyOf = (masterKey: MasterKey) => masterKey.derive('cloud-accounts');

/** A credential as the row of an account keeps it. */
export const sealCredential = (masterKey: MasterKey, rowId: string, credential: Credential): string =>
  seal(keyOf(masterKey), rowId, Buffer.from(JSON.stringify(credential)));

/** The credential of an account. @throws when the master key is another one, or the row was changed */
export const openCredential = (
  masterKey: MasterKey,
  { _id, sealed_credential }: Pick<CloudAccountRow, '_id'> & { sealed_credential: string },
): Credential => JSON.parse(unseal(keyOf(masterKey), _id, sealed_credential).toString()) as Credential;
