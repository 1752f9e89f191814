import { GLOBAL_REGION, type Provider } from '../../schema/model.js';

type Values = Readonly<Record<string, unknown>>;

const PROVIDERS_BY_PREFIX: Readonly<Record<string, Provider>> = {
  aws: 'aws',
  awscc: 'aws',
  azurerm: 'azure',
  azuread: 'azure',
  azapi: 'azure',
  azurestack: 'azure',
  google: 'gcp',
  oci: 'oci',
  alicloud: 'alicloud',
  ibm: 'ibm',
  kubernetes: 'k8s',
  kubectl: 'k8s',
  helm: 'k8s',
};

/** Data sources of no cloud, by the types of their assets; code has the provider of containers (docs/decisions.md). */
const DATA_OF_NO_CLOUD: ReadonlySet<string> = new Set(['data_http', 'data_external']);

/**
 * The cloud a Terraform resource type belongs to; undefined for providers that make no cloud resource (`random_`, `null_`, `tls_`). The type of a data source has
 * `data_` before it.
 */
export function providerOf(type: string): Provider | undefined {
  if (DATA_OF_NO_CLOUD.has(type)) return 'k8s';
  if (type.startsWith('data_')) return providerOf(type.slice('data_'.length));
  const prefix = type.split('_', 1)[0] ?? '';
  return Object.hasOwn(PROVIDERS_BY_PREFIX, prefix) ? PROVIDERS_BY_PREFIX[prefix] : undefined;
}

/** A reference that was written without `${}`, as some converters leave it. */
const BARE_REFERENCE = /^(?:var|local|data|module|each|count)\.\w|^[a-z]+_\w+\.[\w-]+\.\w+$/;

/** A text that is known: not empty, and no unresolved reference. */
export function known(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > 2_048) return undefined;
  return value.includes('${') || BARE_REFERENCE.test(value) ? undefined : value;
}

const ARN = /^arn:[\w-]+:([\w-]*):([\w-]*):([\w-]*):/;
const GLOBAL_IDS =
  /^(?:arn:|\/(?:subscriptions|providers)\/|ocid1\.|projects\/|organizations\/\d|folders\/\d|crn:|acs:|https:\/\/[\w.-]+\.[a-z]+\/)/i;
const CROSS_REGION = new Map<Provider, RegExp>([
  [
    'aws',
    /^aws_(?:iam|route53(?!_resolver|recovery)|cloudfront|organizations|globalaccelerator|shield|waf(?!v2|regional)|account|budgets|ce)_/,
  ],
  ['azure', /^azuread_|^azurerm_(?:role|policy|management_group|subscription|dns|private_dns)_?/],
  [
    'gcp',
    /^google_(?:project|organization|folder|service_account|iam|logging|dns|compute_(?:network|firewall|project|global|ssl|url|target_https?))(?:_|$)/,
  ],
  ['oci', /^oci_identity_/],
  ['alicloud', /^alicloud_(?:ram|cdn|alidns|resource_manager)_/],
  ['ibm', /^ibm_(?:iam|cis|account|resource_group)/],
]);

/** The id of a resource that is unique in the world by its form: an ARN, an Azure or Google path, an OCID, a CRN. */
export function globalId(values: Values): string | undefined {
  for (const key of ['arn', 'id', 'crn', 'self_link', 'ocid', 'resource_id']) {
    const id = known(values[key]);
    if (id !== undefined && GLOBAL_IDS.test(id)) return id;
  }
  return undefined;
}

/** The account, subscription, project or tenancy that a resource says it belongs to. */
export function accountOf(provider: Provider, values: Values): string | undefined {
  const ids = [known(values.arn), known(values.id), known(values.crn)].filter((id) => id !== undefined);
  for (const id of ids) {
    const match =
      ARN.exec(id)?.[3] ?? /^\/subscriptions\/([0-9a-f-]{36})(?:\/|$)/i.exec(id)?.[1] ?? /^crn:(?:[^:]*:){5}a\/(\w+):/.exec(id)?.[1];
    if (match !== undefined && match !== '' && match !== 'aws') return match;
  }
  if (provider === 'gcp') {
    const link = known(values.self_link) ?? known(values.id);
    return known(values.project) ?? /(?:^|\/)projects\/([\w.:-]+)\//.exec(link ?? '')?.[1];
  }
  if (provider === 'oci') return ids.concat(known(values.compartment_id) ?? []).find((id) => id.startsWith('ocid1.tenancy.'));
  if (provider === 'azure') return known(values.subscription_id);
  return [known(values.owner_id), known(values.account_id)].find((id) => id !== undefined && (provider !== 'aws' || /^\d{12}$/.test(id)));
}

/** The region by the resource's own attributes, else by the provider's configuration or the caller; `global` for what has none. */
export function regionOf(provider: Provider, type: string, values: Values, fallback: string | undefined): string {
  const own = ownRegion(provider, values);
  if (own !== undefined) return own;
  if (provider === 'k8s' || CROSS_REGION.get(provider)?.test(type) === true) return GLOBAL_REGION;
  return fallback ?? GLOBAL_REGION;
}

function ownRegion(provider: Provider, values: Values): string | undefined {
  const named = known(values.region) ?? known(values.location) ?? known(values.region_id);
  // Google gives some regions and zones as addresses.
  const place = named?.split('/').at(-1);
  if (place !== undefined && /^[A-Za-z][A-Za-z0-9 -]{1,60}$/.test(place)) {
    if (provider === 'azure') return place.toLowerCase().replaceAll(' ', '');
    return provider === 'gcp' ? zoneless('gcp', place.toLowerCase()) : place;
  }
  const zone = known(values.availability_zone) ?? known(values.zone) ?? known(values.zone_id);
  const region = zone === undefined || provider === 'azure' ? undefined : zoneless(provider, zone.split('/').at(-1) ?? '');
  if (region !== undefined && /^[a-z]{2,}-[a-z0-9-]+\d?$/.test(region)) return region;
  const id = known(values.arn) ?? known(values.id) ?? known(values.crn) ?? '';
  const found = ARN.exec(id)?.[2] ?? /^ocid1\.\w+\.\w*\.([\w-]*)\./.exec(id)?.[1] ?? /^crn:(?:[^:]*:){4}([\w-]*):/.exec(id)?.[1];
  const path = /\/(?:regions|locations|zones)\/([\w-]+)/.exec(known(values.self_link) ?? id)?.[1];
  return (found === '' ? undefined : found) ?? (path === undefined ? undefined : zoneless('gcp', path));
}

function zoneless(provider: Provider, zone: string): string {
  if (provider === 'aws') return zone.replace(/^([a-z]{2}(?:-[a-z]+)+-\d+)[a-z]$/, '$1');
  if (provider === 'gcp') return zone.replace(/^([a-z]+-[a-z]+\d+)-[a-z]$/, '$1');
  return provider === 'ibm' ? zone.replace(/-\d$/, '') : zone.replace(/-[a-z]$/, '');
}
