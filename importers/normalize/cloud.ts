import type { Provider } from '../../schema/model.js';
import { TYPE_NAMES } from './cloud-types.js';

/** What a cloud's own identifier says of a resource. */
export interface CloudName {
  provider: Provider;
  account_id?: string;
  region?: string;
  resource_type?: string;
  resource_name?: string;
  service?: string;
}

const PROVIDER_WORDS: Readonly<Record<string, Provider>> = {
  aws: 'aws',
  amazon: 'aws',
  azure: 'azure',
  microsoft: 'azure',
  gcp: 'gcp',
  google: 'gcp',
  oci: 'oci',
  oracle: 'oci',
  oraclecloud: 'oci',
  alicloud: 'alicloud',
  alibaba: 'alicloud',
  alibabacloud: 'alicloud',
  aliyun: 'alicloud',
  ibm: 'ibm',
  ibmcloud: 'ibm',
  kubernetes: 'k8s',
  k8s: 'k8s',
};

const TYPE_PREFIX: Readonly<Record<Provider, string>> = {
  aws: 'aws',
  azure: 'azurerm',
  gcp: 'google',
  oci: 'oci',
  alicloud: 'alicloud',
  ibm: 'ibm',
  k8s: 'kubernetes',
};

const REGISTRIES: readonly (readonly [RegExp, Provider])[] = [
  [/^\d{12}\.dkr\.ecr[.-]|^public\.ecr\.aws$/, 'aws'],
  [/\.azurecr\.(?:io|cn|us)$|^mcr\.microsoft\.com$/, 'azure'],
  [/(?:^|\.)gcr\.io$|\.pkg\.dev$/, 'gcp'],
  [/\.ocir\.io$|^ocir\./, 'oci'],
  [/(?:^|\.)icr\.io$/, 'ibm'],
  [/\.aliyuncs\.com$/, 'alicloud'],
];

/** The provider that a word such as `AWS`, `gcp` or `Kubernetes` names. */
export function toProvider(word: string | undefined): Provider | undefined {
  const key = word?.toLowerCase().replace(/[^a-z0-9]/g, '');
  return key !== undefined && Object.hasOwn(PROVIDER_WORDS, key) ? PROVIDER_WORDS[key] : undefined;
}

/** The cloud whose registry an image reference names; undefined for Docker Hub, local images and other registries. */
export function registryProvider(image: string): Provider | undefined {
  const slash = image.indexOf('/');
  if (slash === -1) return undefined;
  const host = image.slice(0, slash).toLowerCase().replace(/:\d+$/, '');
  return REGISTRIES.find(([pattern]) => pattern.test(host))?.[1];
}

/**
 * The Terraform type name of a provider's own type name: `AwsS3Bucket`, `AWS::S3::Bucket`, `Microsoft.Storage/storageAccounts`,
 * `storage.googleapis.com/Bucket`, `Deployment`. A name that Terraform does not have gets one in its style.
 */
export function terraformType(provider: Provider, type: string): string {
  if (/^(?:aws|azurerm|google|oci|alicloud|ibm|kubernetes)_[a-z0-9_]+$/.test(type)) return type;
  const bare = type
    .replace(/^(?:aws::|alicloud::|aliyun::|microsoft\.|aws|azure|gcp|google|oci|alibabacloud|alicloud|ibm|kubernetes)(?=.)/i, '')
    .replace(/\.googleapis\.com/, '');
  const key = bare.toLowerCase().replace(/[^a-z0-9]/g, '');
  const names = TYPE_NAMES[provider];
  if (names !== undefined && Object.hasOwn(names, key)) return names[key] as string;
  const words = provider === 'azure' && bare.includes('/') ? singular(bare.slice(bare.lastIndexOf('/') + 1)) : bare;
  return `${TYPE_PREFIX[provider]}_${snakeCase(words) || 'resource'}`;
}

/**
 * The cloud's own identifier of a resource of which a tool gives the address of its page in Azure's portal, or of Google's interface; any other
 * text as it is.
 */
export const cloudUid = (text: string): string =>
  text
    .replace(/^https:\/\/portal\.azure\.(?:com|us|cn)\/?#@[^/]*\/resource\/+(?=subscriptions\/)/i, '/')
    .replace(/^https:\/\/www\.googleapis\.com\/(\w+)\/v\d+\//, '//$1.googleapis.com/')
    .replace(/^https:\/\/(\w+)\.googleapis\.com\/(?:\1\/)?v\d+\//, '//$1.googleapis.com/');

/** Reads an ARN, an Azure resource id or a Google full resource name; undefined when it is none of them. */
export function parseCloudName(uid: string): CloudName | undefined {
  if (uid.startsWith('arn:')) return parseArn(uid);
  if (/^\/subscriptions\//i.test(uid)) return parseAzureId(uid);
  if (uid.startsWith('//') && uid.includes('.googleapis.com/')) return parseGoogleName(uid);
  if (uid.startsWith('ocid1.')) return parseOcid(uid);
  const account = /^AWS::::Account:(\d{12})$/.exec(uid)?.[1];
  return account === undefined ? undefined : { provider: 'aws', account_id: account, resource_type: 'aws_account', resource_name: account };
}

/** `arn:partition:service:region:account:resource` (AWS General Reference, "Amazon Resource Names"). */
function parseArn(uid: string): CloudName {
  const [, , service = '', region = '', account = '', ...rest] = uid.split(':');
  const resource = rest.join(':');
  const parts = resource.split(/[/:]/);
  const kind = parts.length > 1 ? (parts[0] as string) : '';
  const lastPart = parts.at(-1) as string;
  return {
    provider: 'aws',
    service,
    ...(account === '' || account === 'aws' ? {} : { account_id: account }),
    ...(region === '' ? {} : { region }),
    resource_type: arnType(service, kind, parts),
    ...(lastPart === '' ? {} : { resource_name: lastPart }),
  };
}

function arnType(service: string, kind: string, parts: readonly string[]): string {
  if (service === 's3') return parts.length > 1 && !parts[0]?.startsWith('accesspoint') ? 'aws_s3_object' : 'aws_s3_bucket';
  if (service === 'iam' && parts[0] === 'root') return 'aws_account';
  if (service === 'ecr' && parts.some((part) => part === 'sha256')) return 'container_image';
  if (service === 'elasticloadbalancing' && (parts[1] === 'app' || parts[1] === 'net')) return 'aws_lb';
  if (service === 'apigateway') return 'aws_api_gateway_rest_api';
  return terraformType('aws', `AWS::${service}::${kind}`);
}

/** `/subscriptions/<id>/resourceGroups/<name>/providers/<namespace>/<type>/<name>...` (Azure Resource Manager resource ids). */
function parseAzureId(uid: string): CloudName {
  const parts = uid.split('/').slice(1);
  const at = parts.findIndex((part) => part.toLowerCase() === 'providers');
  const named = at === -1 ? [] : parts.slice(at + 1);
  const types = named.filter((_part, index) => index % 2 === 1);
  const type =
    named.length > 1
      ? `${named[0]}/${types.join('/')}`
      : parts.length > 3
        ? 'Microsoft.Resources/resourceGroups'
        : 'Microsoft.Resources/subscriptions';
  return {
    provider: 'azure',
    account_id: parts[1] as string,
    resource_type: terraformType('azure', type),
    resource_name: parts.at(-1) as string,
    ...(named[0] === undefined ? {} : { service: named[0].replace(/^microsoft\./i, '').toLowerCase() }),
  };
}

/** `//service.googleapis.com/projects/<id>/zones/<zone>/instances/<name>` (Cloud Asset Inventory resource names). */
function parseGoogleName(uid: string): CloudName {
  const [host = '', ...parts] = uid.slice(2).split('/');
  const service = host.replace('.googleapis.com', '');
  const after = (word: string) => parts[parts.indexOf(word) + 1];
  const place = parts.includes('zones')
    ? after('zones')?.replace(/-[a-z]$/, '')
    : parts.includes('regions')
      ? after('regions')
      : parts.includes('locations')
        ? after('locations')
        : undefined;
  const kind = parts.length > 1 ? singular(parts.at(-2) as string) : 'bucket';
  return {
    provider: 'gcp',
    service,
    ...(parts.includes('projects') ? { account_id: after('projects') as string } : {}),
    ...(place === undefined ? {} : { region: place }),
    resource_type: terraformType('gcp', `${service}/${kind}`),
    resource_name: parts.at(-1) as string,
  };
}

/** `ocid1.<type>.<realm>.[region].<unique>` (Oracle Cloud Identifiers). */
function parseOcid(uid: string): CloudName {
  const [, type = '', , region = ''] = uid.split('.');
  return { provider: 'oci', ...(region === '' ? {} : { region }), resource_type: `oci_${type.replace(/[^a-z0-9]/gi, '_')}` };
}

function singular(word: string): string {
  return word
    .replace(/ies$/, 'y')
    .replace(/(ss|x|ch)es$/, '$1')
    .replace(/([^s])s$/, '$1');
}

/** `StatefulSet` -> `stateful_set`, `KubernetesAPIServer` -> `kubernetes_api_server`. */
export function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase();
}
