import type { Provider } from '../../../schema/model.js';
import type { Field } from '../parts/fields.js';

/** Ways in, as the template of a provider names them. */
export type Method = 'role' | 'workload_identity' | 'secret';

export const METHOD_WORDS: Readonly<Record<Method, string>> = {
  role: 'A role that trusts this deployment, without a secret',
  workload_identity: 'A trust in the identity of this deployment, without a secret',
  secret: 'A long-lived secret, which is sealed',
};

const text = (name: string, label: string, hint?: string): Field => ({ name, label, kind: 'text', hint, isNeeded: true });
const secret = (name: string, label: string): Field => ({ name, label, kind: 'secret', isNeeded: true });
const pem = (name: string, label: string): Field => ({ name, label, kind: 'long', hint: 'As PEM.', isNeeded: true });

const AZURE = [text('directory_id', 'Id of the directory'), text('client_id', 'Id of the application')];

/** What each way takes, by provider. */
const FIELDS: Readonly<Record<Provider, Readonly<Partial<Record<Method, readonly Field[]>>>>> = {
  aws: {
    role: [text('role_arn', 'ARN of the role', 'arn:aws:iam::<account>:role/<name>, as the template made it.')],
    secret: [text('access_key_id', 'Id of the access key'), secret('secret_access_key', 'Secret of the access key')],
  },
  azure: { workload_identity: AZURE, secret: [...AZURE, secret('client_secret', 'Secret of the application')] },
  gcp: {
    workload_identity: [
      text(
        'workload_provider',
        'Workload identity provider',
        'projects/<number>/locations/global/workloadIdentityPools/<pool>/providers/<name>',
      ),
      text('service_account_email', 'Address of the service account'),
    ],
    secret: [
      text('service_account_email', 'Address of the service account'),
      text('private_key_id', 'Id of its key'),
      pem('private_key', 'Private key'),
    ],
  },
  oci: {
    secret: [
      text('tenancy_ocid', 'OCID of the tenancy'),
      text('user_ocid', 'OCID of the user'),
      text('fingerprint', 'Fingerprint of the API key'),
      pem('private_key', 'Private key'),
    ],
  },
  alicloud: {
    role: [text('role_arn', 'ARN of the role')],
    secret: [text('access_key_id', 'Id of the access key'), secret('access_key_secret', 'Secret of the access key')],
  },
  ibm: { workload_identity: [text('profile_id', 'Id of the trusted profile')], secret: [secret('api_key', 'API key')] },
  k8s: {
    secret: [
      text('server', 'Address of the API server'),
      pem('ca_certificate', 'Certificates of its authority'),
      secret('token', 'Token of a service account'),
    ],
  },
};

/** Of each platform what its accounts are called. */
export const ACCOUNT_WORDS: Readonly<Record<Provider, string>> = {
  aws: 'Account id, 12 digits',
  azure: 'Id of the subscription',
  gcp: 'Id of the project',
  oci: 'OCID of the tenancy or compartment',
  alicloud: 'Id of the account',
  ibm: 'Id of the account',
  k8s: 'Name of the cluster',
};

/** The fields of a way in, at their place in the body. */
export const credentialFields = (provider: Provider, method: Method): Field[] =>
  (FIELDS[provider][method] ?? []).map((field) => ({ ...field, name: `connection.${method}.${field.name}` }));

/** The ways that there are fields for, of those that the template names. */
export const methodsIn = (provider: Provider, methods: readonly string[]): Method[] =>
  (Object.keys(METHOD_WORDS) as Method[]).filter((method) => methods.includes(method) && FIELDS[provider][method]);
