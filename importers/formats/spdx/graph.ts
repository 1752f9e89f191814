import { outlineJson } from '../../readers/json/outline.js';
import { listAt, objectsAt, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import { readJson } from '../../readers/json/records.js';
import type { ReportSource } from '../../types.js';
import type { TagValueItem } from './tag-value.js';

const ELEMENTS = '@graph[*]';
const PACKAGE = /^(?:software_Package|ai_AIPackage|dataset_DatasetPackage)$/;
const RELATIONSHIP = /^(?:LifecycleScoped)?Relationship$/;

/** Whether a document is of SPDX 3 as JSON-LD. */
export function isGraph(head: string): boolean {
  const outline = outlineJson(head);
  const contexts = ['@context', '@context[]'].map((path) => outline.get(path) ?? '');
  return outline.has('@graph') && contexts.some((context) => /^https?:\/\/spdx\.org\/rdf\//.test(context));
}

/** What packages refer to by id: read first, because it may stand behind them. */
interface Referenced {
  readonly licenses: Map<string, string>;
  readonly agents: Map<string, string>;
  /** Of bills in the document, what they are of. */
  readonly roots: Map<string, readonly string[]>;
  /** Package -> license, as it declares and as was concluded. */
  readonly declared: Map<string, string>;
  readonly concluded: Map<string, string>;
  version?: string | undefined;
  created?: string | undefined;
}

const typeOf = (element: JsonObject): string => textAt(element, 'type') ?? textAt(element, '@type') ?? '';
const idOf = (element: JsonObject): string | undefined => textAt(element, 'spdxId') ?? textAt(element, '@id');

async function readReferenced(source: ReportSource): Promise<Referenced> {
  const known: Referenced = { licenses: new Map(), agents: new Map(), roots: new Map(), declared: new Map(), concluded: new Map() };
  for await (const item of readJson(source, [ELEMENTS])) {
    if (item.kind !== 'value') continue;
    const element = item.value as JsonObject;
    const [type, id = ''] = [typeOf(element), idOf(element)];
    const license = textAt(element, 'simplelicensing_licenseExpression');
    if (license !== undefined) known.licenses.set(id, license);
    else if (/^(?:Organization|Person|SoftwareAgent|Agent)$/.test(type)) known.agents.set(id, textAt(element, 'name') ?? '');
    else if (/Sbom$|^Bom$/.test(type)) known.roots.set(id, textsAt(element, 'rootElement'));
    else if (type === 'CreationInfo') {
      known.version ??= textAt(element, 'specVersion');
      known.created ??= textAt(element, 'created');
    } else if (RELATIONSHIP.test(type)) {
      const [from, kind, to] = [textAt(element, 'from'), textAt(element, 'relationshipType'), textsAt(element, 'to')[0]];
      if (from === undefined || to === undefined) continue;
      if (kind === 'hasDeclaredLicense') known.declared.set(from, to);
      if (kind === 'hasConcludedLicense') known.concluded.set(from, to);
    }
  }
  return known;
}

/** A license by its id: one of SPDX' own list has its name at the end of its address. */
const licenseOf = (known: Referenced, id: string | undefined): string | undefined =>
  id === undefined ? undefined : (known.licenses.get(id) ?? /^https?:\/\/spdx\.org\/licenses\/([\w.+-]+)$/.exec(id)?.[1]);

/** `operatingSystem` -> `OPERATING_SYSTEM`. */
const constant = (word: string): string => word.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase();

/** A package as SPDX 2.3 has it. */
function packageOf(element: JsonObject, known: Referenced): JsonObject {
  const id = idOf(element);
  const supplier = textsAt(element, 'suppliedBy')[0];
  const purl = textAt(element, 'software_packageUrl');
  const purpose = textAt(element, 'software_primaryPurpose');
  const externalRefs = objectsAt(element, 'externalIdentifier').flatMap((one) => {
    const [kind, referenceLocator] = [textAt(one, 'externalIdentifierType'), textAt(one, 'identifier')];
    return [{ referenceType: kind === 'packageUrl' ? 'purl' : kind, referenceLocator }];
  });
  return {
    SPDXID: id,
    name: textAt(element, 'name'),
    versionInfo: textAt(element, 'software_packageVersion'),
    primaryPackagePurpose: purpose === undefined ? undefined : constant(purpose),
    supplier: supplier === undefined ? undefined : known.agents.get(supplier),
    licenseDeclared: licenseOf(known, known.declared.get(id ?? '')),
    licenseConcluded: licenseOf(known, known.concluded.get(id ?? '')),
    externalRefs: [...(purl === undefined ? [] : [{ referenceType: 'purl', referenceLocator: purl }]), ...externalRefs],
    checksums: objectsAt(element, 'verifiedUsing').map((one) => ({
      algorithm: textAt(one, 'algorithm')?.toUpperCase(),
      checksumValue: textAt(one, 'hashValue'),
    })),
  };
}

/** Reads a document of SPDX 3 (model 3.0.1, serialization JSON-LD) as SPDX 2.3 would tell it: packages, and relationships that are dependencies. */
export async function* readGraph(source: ReportSource): AsyncGenerator<TagValueItem, void, undefined> {
  const known = await readReferenced(source);
  for await (const item of readJson(source, [ELEMENTS])) {
    if (item.kind === 'array') continue;
    if (item.kind !== 'value') {
      const { kind, position, reason, offset } = item;
      yield { kind, position, reason, offset };
      continue;
    }
    const element = item.value as JsonObject;
    const [type, { position }] = [typeOf(element), item];
    if (PACKAGE.test(type)) yield { kind: 'value', path: 'packages[*]', value: packageOf(element, known), position };
    else if (RELATIONSHIP.test(type) && textAt(element, 'relationshipType') === 'dependsOn')
      for (const to of listAt(element, 'to'))
        yield {
          ...{ kind: 'value', path: 'relationships[*]', position },
          value: { spdxElementId: textAt(element, 'from'), relationshipType: 'DEPENDS_ON', relatedSpdxElement: to },
        };
    else if (type === 'SpdxDocument')
      yield {
        ...{ kind: 'value', path: '$', position },
        value: {
          spdxVersion: `SPDX-${known.version ?? '3.0'}`,
          name: textAt(element, 'name'),
          documentNamespace: idOf(element),
          documentDescribes: textsAt(element, 'rootElement').flatMap((id) => known.roots.get(id) ?? [id]),
          created: known.created,
        },
      };
  }
}
