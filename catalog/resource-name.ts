import type { Provider } from '../schema/model.js';
import { PLURALS, PRODUCT_NAMES, SPELLINGS, WORD_NAMES } from './product-names.js';

/** The prefix of a provider's Terraform types. */
export const TYPE_PREFIXES: Readonly<Record<Provider, string>> = {
  aws: 'aws_',
  azure: 'azurerm_',
  gcp: 'google_',
  oci: 'oci_',
  alicloud: 'alicloud_',
  ibm: 'ibm_',
  k8s: 'kubernetes_',
};
/** Prefixes of further Terraform providers, and of data sources, whose types belong to one of the clouds: the service in the ids of their rules, and their name for people. */
const MORE_PREFIXES: Readonly<Record<string, { provider: Provider; service: string; label: string }>> = {
  azuread_: { provider: 'azure', service: 'entra', label: 'Microsoft Entra' },
  data_aws_: { provider: 'aws', service: 'data', label: 'AWS data source of' },
  data_alicloud_: { provider: 'alicloud', service: 'data', label: 'Alibaba Cloud data source of' },
};
const LABELS: Readonly<Record<Provider, string>> = {
  aws: 'AWS',
  azure: 'Azure',
  gcp: 'Google Cloud',
  oci: 'OCI',
  alicloud: 'Alibaba Cloud',
  ibm: 'IBM Cloud',
  k8s: 'Kubernetes',
};

const WORDS = new Map([...SPELLINGS.split(/\s+/).map((word) => [word.toLowerCase(), word] as const), ...Object.entries(WORD_NAMES)]);

/** A name of lower-case words with `_` between them, for people: products in their spelling. */
export const inWords = (name: string): string =>
  withoutDoubles(
    name
      .split('_')
      .map((word) => WORDS.get(word) ?? word)
      .join(' '),
  );

/** A text without words, or pairs of words, that follow on themselves: a type's name often begins with its service's again. */
function withoutDoubles(text: string): string {
  const single = text.replace(/(?<![^ ])(\S+(?: \S+)?) \1(?![^ ])/gi, '$1');
  return single === text ? text : withoutDoubles(single);
}

/** Types of source code that runs in no cloud, with their names for people. They belong to `k8s` (docs/decisions.md). */
export const CODE_TYPES: Readonly<Record<string, string>> = {
  dockerfile_image: 'Dockerfile',
  compose_service: 'Compose service',
  github_workflow: 'GitHub workflow',
  data_http: 'Terraform HTTP data source',
  data_external: 'Terraform external data source',
};

/** Settings of a directory that Microsoft Graph alone has: Terraform's provider has no resources for them. */
export const TYPES_OF_GRAPH: ReadonlySet<string> = new Set([
  'azuread_authentication_methods_policy',
  'azuread_authorization_policy',
  'azuread_device_registration_policy',
  'azuread_security_defaults_policy',
]);

/** The provider of a resource type; undefined for a type of none. */
export function providerOf(type: string): Provider | undefined {
  if (Object.hasOwn(CODE_TYPES, type)) return 'k8s';
  return (
    prefixOf(type)?.more.provider ?? (Object.keys(TYPE_PREFIXES) as Provider[]).find((provider) => type.startsWith(TYPE_PREFIXES[provider]))
  );
}

/** The prefix of a type of a further provider, and what is known of it. */
function prefixOf(type: string): { prefix: string; more: (typeof MORE_PREFIXES)[string] } | undefined {
  const prefix = Object.keys(MORE_PREFIXES).find((one) => type.startsWith(one));
  return prefix === undefined ? undefined : { prefix, more: MORE_PREFIXES[prefix]! };
}

/** The start of the ids of a type's rules: `aws_s3_bucket` gives `aws.s3.bucket`, `aws_instance` gives `aws.instance`, `azuread_user` gives `azure.entra.user`. */
export function resourceIdOf(type: string, provider: Provider): string {
  const further = prefixOf(type);
  if (further !== undefined) return [provider, further.more.service, type.slice(further.prefix.length)].join('.');
  const own = Object.hasOwn(CODE_TYPES, type) ? type : type.slice(TYPE_PREFIXES[provider].length);
  const [service = '', ...rest] = own.split('_');
  return [provider, service, ...(rest.length === 0 ? [] : [rest.join('_')])].join('.');
}

/** A type's name for people: `aws_s3_bucket` gives `AWS S3 bucket`. */
export function resourceLabel(type: string, provider: Provider): string {
  if (Object.hasOwn(CODE_TYPES, type)) return CODE_TYPES[type]!;
  const further = prefixOf(type);
  if (further !== undefined) return singular(`${further.more.label} ${inWords(type.slice(further.prefix.length))}`);
  const name = type.slice(TYPE_PREFIXES[provider].length).replace(/_v\d\w*$/, '');
  const start = productOf(name, provider);
  const product = start && PRODUCT_NAMES[provider][start]!;
  // Cloud Run, Cloud Firewall: what stands behind the word is part of the product's name
  const words = inWords(start ? name.slice(start.length + 1) : name).replace(
    /^cloud ([a-z])/,
    (_, letter: string) => `Cloud ${letter.toUpperCase()}`,
  );
  return withoutDoubles(singular([LABELS[provider], product, words].filter(Boolean).join(' ')));
}

/** The longest beginning of a type's name that stands for a product; `''` where none does. */
function productOf(name: string, provider: Provider): string {
  const words = name.split('_');
  for (let length = words.length; length > 0; length--) {
    const start = words.slice(0, length).join('_');
    if (Object.hasOwn(PRODUCT_NAMES[provider], start)) return start;
  }
  return '';
}

/** A name of one resource, where its last word is written as of several. */
const singular = (name: string): string =>
  name.replace(/(?<= )([a-z]+)s$/, (word, stem: string) => (PLURALS.has(word) ? stem.replace(/ie$/, 'y').replace(/(?<=ss)e$/, '') : word));
