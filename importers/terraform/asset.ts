import { createHash } from 'node:crypto';
import type { Provider } from '../../schema/model.js';
import { redactText, redactValue } from '../../redaction/redact.js';
import { parseAddress } from './address.js';
import { maskPaths, pathTexts } from './marks.js';
import { accountOf, globalId, known, regionOf } from './place.js';
import type { AssetInput, ImportOptions } from '../types.js';

type Values = Record<string, unknown>;

/** One managed resource instance, whatever kind of Terraform output it comes from. */
export interface TerraformInstance {
  address: string;
  type: string;
  name: string;
  values: Values;
  unknown: (string | number)[][];
  sensitive: (string | number)[][];
  /** The provider's source, `registry.terraform.io/hashicorp/aws`. */
  terraformProvider?: string;
  /** Types of resources that would belong to it: the source tells all that there are. */
  tells?: readonly string[];
  /** The region that the provider is configured with. */
  providerRegion?: string;
  position: string;
}

interface Place {
  account: string | undefined;
  region: string;
}

const NAMES = [
  'name',
  'bucket',
  'display_name',
  'function_name',
  'cluster_name',
  'cluster_identifier',
  'identifier',
  'domain_name',
  'user_name',
  'title',
];
const TAGS = ['tags_all', 'tags', 'effective_labels', 'labels', 'freeform_tags', 'system_labels'];

const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);
/** The metadata of an object of a cluster: a block, or as its manifest writes it. */
const metadata = ({ metadata: held }: Values): Values => [held].flat().find(isObject) ?? {};

/** Types that carry the id of what they are on: their uid says so. */
const COMPANION = /_(?:policy|rotation|attachment|association|network_rules|secret_version|acl|membership)$/;

/** A uid in which nothing is secret: an access key's id becomes a digest. */
function safeUid(start: string, id: string): string {
  return redactText(id) === id ? start + id : `${start}sha256-${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}

/**
 * Where a resource has an id that is unique in the world by its form (`arn`, `id`, `crn`, `self_link`), that is its uid. An id without
 * that form is made unique by account, region and type. A resource that is only planned has none: its uid is its address, with the
 * account and the artifact that the caller names. So the same plan again gives the same uids, and a planned resource gets another
 * uid once it exists.
 */
function resourceUid({ values, type, address }: TerraformInstance, provider: Provider, place: Place, options: ImportOptions): string {
  const id = globalId(values);
  if (id !== undefined) {
    const kind = COMPANION.exec(type)?.[0].slice(1).replaceAll('_', '') ?? '';
    return safeUid('', id.toLowerCase().replace(/[_-]/g, '').includes(kind) ? id : `${id}#${type}`);
  }
  const local = known(values.id);
  if (local !== undefined) return safeUid(`${provider}:${place.account ?? '-'}:${place.region}:${type}/`, local);
  const scope = [options.account_id, options.artifact].filter(Boolean).join('/');
  return safeUid(scope === '' ? 'terraform:' : `terraform:${scope}/`, address);
}

/** The tags or labels of a resource: text by text, secrets masked. IBM's lists of `key:value` are read as such. */
function tagsOf(values: Values): Record<string, string> {
  const tags = new Map<string, string>();
  for (const source of [...TAGS.map((key) => values[key]), metadata(values).labels]) {
    if (isObject(source)) {
      for (const [key, value] of Object.entries(source)) {
        if (['string', 'number', 'boolean'].includes(typeof value) && !tags.has(key)) tags.set(key, String(value));
      }
    } else if (Array.isArray(source)) {
      for (const tag of source) {
        if (typeof tag !== 'string') continue;
        // a text may hold what no name in the store can
        const [key = '', ...rest] = tag.replaceAll('\u0000', '').split(':');
        tags.set(key, rest.join(':'));
      }
    }
  }
  return redactValue(Object.fromEntries(tags));
}

function nameOf(values: Values, tags: Readonly<Record<string, string>>): string | undefined {
  const named = NAMES.map((key) => known(values[key])).find((name) => name !== undefined);
  return named ?? known(metadata(values).name) ?? known(tags.Name) ?? known(tags.name);
}

/**
 * The inventory item of a resource. The account is the caller's, else the resource's own, else `defaults.account`; the region is the
 * resource's own, else its provider's, the caller's, `defaults.region`.
 */
export function terraformAsset(
  instance: TerraformInstance,
  provider: Provider,
  format: string,
  options: ImportOptions,
  defaults: Partial<Place>,
): AssetInput {
  const { values, type, address } = instance;
  const account = options.account_id ?? accountOf(provider, values) ?? defaults.account;
  const region = regionOf(provider, type, values, instance.providerRegion ?? options.region ?? defaults.region);
  const masked = redactValue(maskPaths(values, instance.sensitive));
  const configuration = isObject(masked) ? masked : {};
  const tags = tagsOf(configuration);
  const sensitive = pathTexts(instance.sensitive);
  const unknown = pathTexts(instance.unknown);
  const module = parseAddress(address)?.module ?? '';
  return {
    resource_uid: resourceUid(instance, provider, { account, region }, options),
    resource_type: type,
    resource_name: nameOf(configuration, tags) ?? redactText(instance.name),
    provider,
    ...(account === undefined ? {} : { account_id: account }),
    region,
    ...(Object.keys(tags).length === 0 ? {} : { tags }),
    configuration,
    ...(sensitive.length === 0 ? {} : { sensitive_paths: sensitive }),
    ...(unknown.length === 0 ? {} : { unknown_paths: unknown }),
    source: { format, address: redactText(address) },
    provider_metadata: redactValue({
      terraform_name: instance.name,
      ...(module === '' ? {} : { module }),
      ...(instance.terraformProvider === undefined ? {} : { terraform_provider: instance.terraformProvider }),
    }),
    position: instance.position,
  };
}
