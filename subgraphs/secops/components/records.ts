import { hash } from 'node:crypto';
import { BoundedCache } from '../../../kit/base/bounded-cache.js';
import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, flag, list, nullable, number, object, optional, text, textOf } from '../../../kit/store/fields.js';
import type { ArtifactPlace, ComponentHash, ComponentRelation, DependencyInput } from '../../../schema/artifacts.js';

/** What is counted of a tenant. */
export const STORED_COMPONENTS = 'components';

const BY_NAME = { name_key: 1, version_key: 1, _id: 1 } as const;

/**
 * A component of an artifact, as the newest document of the artifact tells it. `_id` is `<tenant>|<artifact>|<component>`, digests all, so that the
 * components of an artifact lie together and each is there once.
 */
export const components = defineCollection(
  'components',
  {
    artifact_id: text,
    /** In the spelling of its ecosystem. */
    name: text,
    version: nullable(text),
    /** Canonical, with qualifiers. */
    purl: nullable(text),
    /** The package URL without version and qualifiers. */
    package: nullable(text),
    kind: text,
    /** The type of the package URL. */
    ecosystem: nullable(text),
    distribution: nullable(text),
    source_name: nullable(text),
    source_version: nullable(text),
    licenses: list(text),
    hashes: list(object<ComponentHash>()),
    cpe: nullable(text),
    supplier: nullable(text),
    scope: nullable(text),
    relation: nullable(textOf<ComponentRelation>()),
    /** What its document calls it, where it tells of dependencies; several where it lists it several times. */
    refs: list(text),
    /** What it is found by: see `search-keys.ts` and `version-key.ts`. */
    name_key: text,
    names: list(text),
    version_key: text,
    license_keys: list(text),
    /** The packages of advisories that it may be (`packageKey`). */
    package_keys: list(text),
    /** Of all that its document tells: when it is the same, the row is. */
    digest: text,
    first_seen_at: date,
    last_seen_at: date,
    /** The run that told of it last. */
    scan_run_id: text,
  },
  [
    { key: { tenant_id: 1, ...BY_NAME } },
    { key: { tenant_id: 1, ecosystem: 1, ...BY_NAME } },
    { key: { tenant_id: 1, artifact_id: 1, ...BY_NAME } },
    { key: { tenant_id: 1, names: 1, ...BY_NAME } },
    { key: { tenant_id: 1, license_keys: 1, ...BY_NAME } },
    { key: { tenant_id: 1, package_keys: 1 } },
  ],
);
export type ComponentRow = RowOf<typeof components>;

/** An artifact whose components are known, and the document that told them; `_id` is `<tenant>|<artifact>`, digests both. */
export const sboms = defineCollection(
  'sboms',
  {
    artifact_id: text,
    name: text,
    version: nullable(text),
    kind: text,
    purl: nullable(text),
    digest: nullable(text),
    /** The kind of document, with its version. */
    document: text,
    serial: nullable(text),
    ref: nullable(text),
    /** Where findings in it lie; absent or null where none may. */
    place: optional(nullable(object<ArtifactPlace>())),
    component_count: number,
    /** Of them, those that the run has come by. */
    confirmed: number,
    /** Whether the run has told all components: what it did not come by is gone. */
    is_whole: flag,
    /** The run that tells of the artifact; any other that observed earlier changes nothing. */
    scan_run_id: text,
    observed_at: date,
    uploaded_at: date,
    first_seen_at: date,
    /** Grows with every batch, so that two runs meet. */
    batches: number,
  },
  [{ key: { tenant_id: 1, uploaded_at: -1, _id: 1 } }, { key: { tenant_id: 1, artifact_id: 1 } }],
);
export type SbomRow = RowOf<typeof sboms>;

/** What depends on what in an artifact, some at a time; `_id` is `<tenant>|<artifact>|<run>|<number>`. */
export const sbomDependencies = defineCollection('sbom_dependencies', { edges: list(object<DependencyInput>()), scan_run_id: text });

const digest = (length: number, ...parts: unknown[]): string => hash('sha256', JSON.stringify(parts), 'base64url').slice(0, length);
const prefixes = new BoundedCache<string>(1_000);

/** What the ids of a tenant's rows begin with; that two tenants have the same is harmless. */
const tenantPrefix = (tenantId: string): string => prefixes.get(tenantId) ?? prefixes.set(tenantId, `${digest(8, tenantId)}|`);

export const sbomRowId = (tenantId: string, artifactId: string): string => `${tenantPrefix(tenantId)}${digest(16, artifactId)}`;

/** @param key what tells the component from others of the artifact */
export const componentRowId = (sbomId: string, key: string): string => `${sbomId}|${digest(16, key)}`;

export const dependenciesRowId = (sbomId: string, scanRunId: string, no: number): string =>
  `${sbomId}|${digest(8, scanRunId)}|${String(no).padStart(8, '0')}`;

/** The condition for rows whose ids begin with that of an artifact, and lie behind `after` where it is given. */
export const rowsOf = (sbomId: string, after = `${sbomId}|`) => ({ _id: { $gt: after, $lt: `${sbomId}|~` } });
