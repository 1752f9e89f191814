import { GLOBAL_REGION } from '../../schema/model.js';
import type { ImportItem } from '../types.js';
import { componentItem } from './component.js';
import { safeId, type PlaceDraft } from './observation.js';

/** The distribution of a host, by its id in os-release, and its release where it has any. */
export interface HostSystem {
  readonly id: string;
  readonly release: string | undefined;
}

/** Distributions by their id in os-release (or by what Lynis calls them, in lower case) -> the type and the namespace of their package URLs. */
const SYSTEMS: Readonly<Record<string, { readonly type: 'deb' | 'rpm' | 'apk'; readonly namespace: string; readonly id?: string }>> = {
  debian: { type: 'deb', namespace: 'debian' },
  ubuntu: { type: 'deb', namespace: 'ubuntu' },
  alpine: { type: 'apk', namespace: 'alpine' },
  wolfi: { type: 'apk', namespace: 'wolfi' },
  chainguard: { type: 'apk', namespace: 'chainguard' },
  rocky: { type: 'rpm', namespace: 'rocky' },
  'rocky linux': { type: 'rpm', namespace: 'rocky', id: 'rocky' },
  almalinux: { type: 'rpm', namespace: 'almalinux' },
  rhel: { type: 'rpm', namespace: 'redhat' },
  centos: { type: 'rpm', namespace: 'centos' },
  fedora: { type: 'rpm', namespace: 'fedora' },
  amzn: { type: 'rpm', namespace: 'amazon' },
  ol: { type: 'rpm', namespace: 'oracle' },
  sles: { type: 'rpm', namespace: 'suse' },
  'opensuse-leap': { type: 'rpm', namespace: 'opensuse' },
  'opensuse-tumbleweed': { type: 'rpm', namespace: 'opensuse' },
  mageia: { type: 'rpm', namespace: 'mageia' },
  azurelinux: { type: 'rpm', namespace: 'azurelinux' },
};

/** Whether packages of a distribution have package URLs. */
export const isKnownSystem = ({ id }: HostSystem): boolean => Object.hasOwn(SYSTEMS, id.toLowerCase());

/** A host as an asset: what nothing is found on is in the inventory all the same. */
export function hostAssetItem(place: PlaceDraft, operating_system: string, format: string): ImportItem {
  const { resource_type, resource_name, provider, account_id, region } = place;
  const resource_uid = safeId(place.resource_uid);
  return {
    kind: 'asset',
    asset: {
      ...{ resource_uid, resource_type, resource_name: resource_name ?? resource_uid, provider, ...(account_id && { account_id }) },
      ...{ region: region || GLOBAL_REGION, configuration: { operating_system }, source: { format, address: resource_uid } },
      position: 'the host',
    },
  };
}

/** A package that is installed on a host. */
export interface HostPackage {
  readonly name: string;
  readonly version: string;
  readonly arch?: string | undefined;
  readonly sourceName?: string | undefined;
  readonly sourceVersion?: string | undefined;
  readonly position: string;
}

/** A package of a host as a component, named as bills of materials name it. @throws BrokenRecord */
export function hostPackageItem(system: HostSystem, { name, version, arch, sourceName, sourceVersion, position }: HostPackage): ImportItem {
  const known = SYSTEMS[system.id.toLowerCase()];
  const distribution = [known?.id ?? system.id.toLowerCase(), system.release].filter((part) => part !== undefined).join('-');
  // the epoch of an rpm is a qualifier (purl specification, rpm)
  const [, epoch, plain = version] = (known?.type === 'rpm' && /^(\d+):(.+)$/.exec(version)) || [];
  const qualifiers = new URLSearchParams({ ...(arch && { arch }), distro: distribution, ...(epoch && epoch !== '0' && { epoch }) });
  return componentItem({
    name,
    version: plain,
    ...(known && {
      purl: `pkg:${known.type}/${known.namespace}/${encodeURIComponent(name)}@${encodeURIComponent(plain)}?${qualifiers.toString()}`,
    }),
    distribution,
    ...sourceOf(name, plain, sourceName, sourceVersion),
    position,
  });
}

/** The package that advisories are of, where it is another: of an rpm the name and the version of the file that it was built of. */
function sourceOf(name: string, version: string, sourceName: string | undefined, sourceVersion: string | undefined) {
  const [, rpm, rpmVersion] = /^(.+)-([^-]+-[^-]+)\.src\.rpm$/.exec(sourceName ?? '') ?? [];
  const [source_name, source_version] = rpm === undefined ? [sourceName, sourceVersion] : [rpm, rpmVersion];
  if (source_name === undefined || (source_name === name && (source_version === undefined || source_version === version))) return {};
  return { source_name, ...(source_version !== undefined && { source_version }) };
}
