import type { z } from 'zod';
import { maskText, maskValue } from '../../redaction/redact-fast.js';
import { GLOBAL_REGION } from '../../schema/model.js';
import { artifactSchema, componentSchema, type ArtifactInput, type ComponentInput } from '../../schema/artifacts.js';
import { BrokenRecord, compact } from '../readers/json/fields.js';
import type { ImportItem } from '../types.js';
import { safeId, type PlaceDraft } from './observation.js';
import { packageKey, purlType, readPackageUrl } from './purl.js';

/** A component as a document or a scanner tells of it. */
export interface ComponentDraft extends Omit<
  { [Name in keyof ComponentInput]?: ComponentInput[Name] | undefined },
  'name' | 'package' | 'position'
> {
  name: string;
  position: string;
}

/** What an artifact's document says of the artifact beside its place. */
export type ArtifactDraft = Omit<
  { [Name in keyof ArtifactInput]?: ArtifactInput[Name] | undefined },
  'artifact_id' | 'place' | 'document'
> & {
  document: string;
};

const MOST_LICENSES = 50;
const MOST_HASHES = 20;

/** That the components which follow are all that the artifact at a place has. */
export function artifactItem(place: PlaceDraft, draft: ArtifactDraft): ImportItem {
  const artifact = {
    kind: place.resource_type === 'container_image' ? 'container' : 'application',
    position: 'the artifact',
    ...compact(draft),
    artifact_id: safeId(place.resource_uid),
    place: placeOf(place),
    name: maskText(draft.name ?? place.resource_name ?? place.resource_uid),
    ...(draft.purl && { purl: readPackageUrl(draft.purl)?.purl ?? maskText(draft.purl) }),
  };
  return { kind: 'artifact', artifact: checked(artifactSchema, artifact) };
}

/** A place as findings in the artifact have it. */
function placeOf({ resource_type, resource_name, provider, account_id, region, provider_metadata }: PlaceDraft): Record<string, unknown> {
  return compact({
    ...{ resource_type, provider, account_id, region: region || GLOBAL_REGION },
    resource_name: resource_name && maskText(resource_name),
    provider_metadata: provider_metadata && maskValue(compact(provider_metadata)),
  });
}

/**
 * The item of one component. Its package URL names it in the spelling of its ecosystem; where there is none it is made of name and ecosystem, as
 * far as the ecosystem is known.
 * @throws BrokenRecord for one that breaks the declaration
 */
export function componentItem({ ecosystem, purl, hashes, licenses, ...draft }: ComponentDraft): ImportItem {
  const { name, version } = draft;
  const made = purl ?? (purlType(ecosystem) === undefined ? undefined : packageKey({ name, version, ecosystem }));
  const url = made === undefined ? undefined : readPackageUrl(made);
  const component = compact({
    ...draft,
    kind: draft.kind ?? 'library',
    name: maskText(url?.name ?? name),
    version: version ?? url?.version,
    purl: url && maskText(url.purl),
    package: url && maskText(url.package),
    ecosystem: url?.ecosystem ?? purlType(ecosystem),
    distribution: draft.distribution ?? url?.qualifiers['distro'],
    ...sourceOf(draft, url?.qualifiers['upstream']),
    supplier: draft.supplier === undefined ? undefined : maskText(draft.supplier),
    licenses: [...new Set(licenses ?? [])].slice(0, MOST_LICENSES).map((license) => maskText(license)),
    hashes: (hashes ?? []).slice(0, MOST_HASHES),
  });
  return { kind: 'component', component: checked(componentSchema, component) };
}

/** The source package of a distribution's: of the document, else of the qualifier that Syft gives its package URLs. */
function sourceOf(draft: ComponentDraft, upstream: string | undefined): Pick<ComponentDraft, 'source_name' | 'source_version'> {
  if (draft.source_name !== undefined || upstream === undefined) return {};
  const [, rpm, rpmVersion] = /^(.+)-([^-]+-[^-]+)\.src\.rpm$/.exec(upstream) ?? [];
  if (rpm !== undefined) return { source_name: rpm, source_version: rpmVersion };
  const [name, version] = upstream.split('@');
  return { source_name: name || undefined, source_version: version || undefined };
}

/** @throws BrokenRecord that names what the declaration does not allow: a document may hold anything */
function checked<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new BrokenRecord(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
}
