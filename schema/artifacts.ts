import { z } from 'zod';
import { PROVIDERS } from './model.js';
import { content, nonEmpty } from './report-values.js';

/** Artifacts and what they are made of, as bills of materials and lists of packages tell it: importers make it, ingest takes it. */

/** Where findings in an artifact lie, beside its id. */
export const artifactPlaceSchema = z.strictObject({
  resource_type: nonEmpty,
  resource_name: nonEmpty.optional(),
  provider: z.enum(PROVIDERS),
  account_id: nonEmpty.optional(),
  region: nonEmpty,
  provider_metadata: content.optional(),
});
export type ArtifactPlace = z.infer<typeof artifactPlaceSchema>;

/** What a bill of materials, or a scanner's list of packages, is of. The components that follow are all that it has. */
export const artifactSchema = z.strictObject({
  /** As findings in it name it (`resource_uid`): an image, a repository, a directory. */
  artifact_id: nonEmpty.max(2_048),
  /** Absent where no finding may lie on it. */
  place: artifactPlaceSchema.optional(),
  name: nonEmpty,
  version: nonEmpty.optional(),
  /** What it is, in the words of CycloneDX: `container`, `application`. */
  kind: nonEmpty,
  purl: nonEmpty.optional(),
  digest: nonEmpty.optional(),
  /** The document that lists the components: `CycloneDX 1.5`, `SPDX-2.3`, `Trivy`. */
  document: nonEmpty,
  serial: nonEmpty.optional(),
  /** What the document calls the artifact where it tells of dependencies. */
  ref: nonEmpty.optional(),
  position: nonEmpty,
});
export type ArtifactInput = z.infer<typeof artifactSchema>;

/** How a component came into the artifact. */
export const COMPONENT_RELATIONS = ['direct', 'transitive'] as const;
export type ComponentRelation = (typeof COMPONENT_RELATIONS)[number];

/** A digest of a component's file. */
export const componentHashSchema = z.strictObject({
  /** In the words of CycloneDX: `SHA-256`. */
  algorithm: nonEmpty,
  value: nonEmpty,
});
export type ComponentHash = z.infer<typeof componentHashSchema>;

/** A component of the artifact that was named last. */
export const componentSchema = z.strictObject({
  /** In the spelling of its ecosystem: `@scope/name`, `group:artifact`. */
  name: nonEmpty,
  version: nonEmpty.optional(),
  /** Its package URL in canonical form, qualifiers included. */
  purl: nonEmpty.optional(),
  /** The package URL without version, qualifiers and subpath. */
  package: nonEmpty.optional(),
  /** What it is, in the words of CycloneDX: `library`, `operating-system`, `file`. */
  kind: nonEmpty,
  /** The type of its package URL: `npm`, `pypi`, `deb`. */
  ecosystem: nonEmpty.optional(),
  /** The distribution that it is built for: `debian-12`. */
  distribution: nonEmpty.optional(),
  /** The source package that distributions publish advisories of, where it has another name or version. */
  source_name: nonEmpty.optional(),
  source_version: nonEmpty.optional(),
  /** Ids, names and expressions, as the document has them. */
  licenses: z.array(nonEmpty).optional(),
  hashes: z.array(componentHashSchema).optional(),
  cpe: nonEmpty.optional(),
  supplier: nonEmpty.optional(),
  /** Whether the artifact needs it, in the words of CycloneDX: `required`, `optional`, `excluded`. */
  scope: nonEmpty.optional(),
  /** Absent where the document does not tell what the artifact depends on. */
  relation: z.enum(COMPONENT_RELATIONS).optional(),
  /** What the document calls it where it tells of dependencies. */
  ref: nonEmpty.optional(),
  position: nonEmpty,
});
export type ComponentInput = z.infer<typeof componentSchema>;

/** What a thing of the document depends on, each by what the document calls it. */
export interface DependencyInput {
  ref: string;
  on: readonly string[];
}
