import type { Provider } from '../../schema/model.js';
import type { ImportOptions } from '../types.js';
import { parseCloudName, snakeCase, terraformType, type CloudName } from './cloud.js';
import { inferProvider, type PlaceDraft } from './observation.js';

/** A resource as a product that looks at clouds names it; what is left out, its identifier may tell. */
export interface CloudResource {
  /** The cloud's own identifier, else what the product calls it. */
  uid: string;
  /** The cloud's or the product's word for its type; `Other` and the like are none. */
  type?: string | undefined;
  name?: string | undefined;
  provider?: Provider | undefined;
  account?: string | undefined;
  region?: string | undefined;
  service?: string | undefined;
  artifact?: string | undefined;
  metadata?: Record<string, unknown>;
}

/** A place of which it is known whether its identifier names a region: a check of what has none runs once in each of them. */
export type CloudPlace = PlaceDraft & { hasRegion: boolean };

const NO_TYPE = /^(?:other|unknown|notdefined|disabled|n\/a)$/i;

/** The Terraform type of a resource (decision 3): what the product calls it, else what its identifier says, else one for its service. */
export function resourceType(
  provider: Provider,
  type: string | undefined,
  named: CloudName | undefined,
  isAccount: boolean,
  service: string | undefined,
): string {
  if (type !== undefined && !NO_TYPE.test(type)) return terraformType(provider, type);
  if (named?.resource_type !== undefined) return named.resource_type;
  if (isAccount)
    return terraformType(
      provider,
      provider === 'azure' ? 'Microsoft.Resources/subscriptions' : provider === 'gcp' ? 'google_project' : 'Account',
    );
  return terraformType(provider, `${provider}_${snakeCase(service ?? 'resource')}`);
}

/** Where a finding on a resource of a cloud lies. */
export function cloudPlace(resource: CloudResource, options: ImportOptions): CloudPlace {
  const { uid, artifact, metadata = {} } = resource;
  const named = parseCloudName(uid);
  const known = resource.provider ?? named?.provider;
  const { provider, provider_metadata } =
    known === undefined ? inferProvider(undefined, options) : { provider: known, provider_metadata: {} };
  const account = resource.account ?? named?.account_id ?? options.account_id;
  const service = resource.service ?? named?.service;
  return {
    resource_uid: uid,
    resource_type: resourceType(provider, resource.type, named, uid === account, service),
    resource_name: resource.name ?? named?.resource_name ?? uid,
    provider,
    account_id: account,
    region: provider === 'k8s' ? undefined : (resource.region ?? named?.region ?? options.region),
    service,
    artifact,
    provider_metadata: { ...provider_metadata, ...metadata },
    hasRegion: named?.region !== undefined,
  };
}
