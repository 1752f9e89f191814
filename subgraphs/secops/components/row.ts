import { packageKey } from '../../../catalog/advisories/ecosystems.js';
import { advisoryPackages } from '../../../catalog/advisories/packages.js';
import type { ComponentInput } from '../../../schema/artifacts.js';
import type { ComponentRow } from './records.js';
import { licenseKeys, nameKey, namesOf } from './search-keys.js';
import { versionKey } from './version-key.js';

/** What a document tells of a component. */
export type ComponentContent = Omit<ComponentRow, '_id' | 'tenant_id' | 'digest' | 'first_seen_at' | 'last_seen_at' | 'scan_run_id'>;

/** What tells a component from others of its artifact: its package URL; of what has none all by which people would tell it apart. */
export const keyOf = ({ purl, kind, name, version, cpe, hashes }: ComponentInput): string =>
  purl ?? JSON.stringify([kind, name, version ?? '', cpe ?? '', hashes?.[0]?.value ?? '']);

/** The row of a component, but for what runs leave on it. */
export function componentRowOf(artifact_id: string, component: ComponentInput): ComponentContent {
  const { name, version, ecosystem, licenses, ref } = component;
  const named = {
    name,
    version: version ?? null,
    purl: component.purl ?? null,
    ecosystem: ecosystem ?? null,
    distribution: component.distribution ?? null,
    source_name: component.source_name ?? null,
    source_version: component.source_version ?? null,
  };
  return {
    artifact_id,
    ...named,
    package: component.package ?? null,
    kind: component.kind,
    licenses: licenses ?? [],
    hashes: component.hashes ?? [],
    cpe: component.cpe ?? null,
    supplier: component.supplier ?? null,
    scope: component.scope ?? null,
    relation: component.relation ?? null,
    refs: ref === undefined ? [] : [ref],
    name_key: nameKey(name, ecosystem),
    names: namesOf(component),
    version_key: versionKey(version, ecosystem),
    license_keys: licenseKeys(licenses),
    package_keys: [...new Set(advisoryPackages(named).map(packageKey))],
  };
}
