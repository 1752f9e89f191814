import { grypeResource, PACKAGE_MEMBERS, pathsOfPackage, readGrypeMatch, type GrypeContext } from './match.js';
import { PackagePaths } from '../../normalize/package-paths.js';
import { withDocuments } from '../../normalize/documents.js';
import { imageItems } from '../../normalize/image-asset.js';
import { asObject, objectAt, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import { outlineJson, type JsonOutline } from '../../readers/json/outline.js';
import { readJson } from '../../readers/json/records.js';
import { ReportItems, safeId } from '../../normalize/observation.js';
import { importRecords } from '../../normalize/record-items.js';
import { checkHead } from '../../normalize/report-head.js';
import { timeAt } from '../../normalize/report-time.js';
import { NotOfFormat, type ImportItem, type ReportFormat, type ImportOptions, type ReportSource } from '../../types.js';

function isGrype(outline: JsonOutline): boolean {
  if (!outline.has('matches')) return false;
  if (outline.has('matches[].vulnerability') && (outline.has('matches[].artifact') || outline.has('matches[].vulnerability.id')))
    return true;
  return outline.get('descriptor.name') === 'grype' || (outline.has('source') && outline.has('distro'));
}

const HEAD = {
  expected: 'a Grype report ({"matches": [...], "source": ..., "descriptor": ...})',
  roots: ['object'] as const,
  detect: isGrype,
  markers: ['matches'],
  elements: ['!'],
};

const one: ReportFormat = {
  name: 'grype',
  label: 'Grype JSON',
  engines: ['vulnerability', 'di'],
  detection: 'A JSON object with `matches` of `vulnerability` and `artifact`, or a descriptor named grype.',
  produce: 'grype registry.example.com/app:1.0 -o json --file report.json',
  detect: (head) => isGrype(outlineJson(head)),
  outsideClouds: true,
  observedAt: timeAt('descriptor.timestamp'),
  async *read(source, options) {
    const isKnown = await checkHead(source, HEAD);
    const { context, isEmpty } = await readContext(source);
    if (!isKnown && isEmpty) throw new NotOfFormat(`expected ${HEAD.expected}, found no matches`);
    if (context.target !== undefined) {
      yield coverageOf(context, options);
      yield* imageOf(context, options);
    }
    const items = new ReportItems();
    yield* importRecords(readJson(source, ['matches[*]']), (record, item) =>
      readGrypeMatch(record, item.position, context, options, items),
    );
  },
};

/** Grype's JSON report (`-o json`), of any schema version, and several in an array or a line each. One match is one record; ignored matches are not. */
export const format = withDocuments(one, (outline) => outline.has('[].matches') && outline.has('[].descriptor'));

/** The scanned artifact, vulnerable or not. */
function coverageOf(context: GrypeContext, options: ImportOptions): ImportItem {
  const { artifact, resource_uid, account_id } = (context.place ??= grypeResource(context, options));
  return {
    kind: 'scope',
    scope: { engine: 'vulnerability', artifact: safeId(artifact ?? resource_uid), ...(account_id && { account_id }) },
  };
}

/** The image that was looked into, where it was one. Its own configuration stands in the report in base64. */
function* imageOf(context: GrypeContext, options: ImportOptions): Generator<ImportItem> {
  const place = (context.place ??= grypeResource(context, options));
  if (place.resource_type !== 'container_image') return;
  const target = asObject(context.target);
  const made_at = textAt(decoded(textAt(target, 'config')), 'created');
  yield* imageItems(
    place,
    { digests: textsAt(target, 'repoDigests'), system: context.distro, made_at, labels: objectAt(target, 'labels') },
    format.name,
  );
}

function decoded(config: string | undefined): JsonObject | undefined {
  try {
    return config === undefined ? undefined : asObject(JSON.parse(Buffer.from(config, 'base64').toString()));
  } catch {
    return undefined;
  }
}

/** What was scanned stands behind the matches. */
async function readContext(source: ReportSource): Promise<{ context: GrypeContext; isEmpty: boolean }> {
  const packages = await PackagePaths.read(source, ['matches[*]'], PACKAGE_MEMBERS, pathsOfPackage);
  const context: GrypeContext = {
    ...{ sourceType: undefined, target: undefined, distro: undefined, version: undefined, place: undefined },
    packages,
  };
  let isEmpty = true;
  for await (const item of readJson(source, ['source', 'distro', 'descriptor.version', 'matches[*].none'])) {
    if (item.kind !== 'value') {
      isEmpty &&= item.kind === 'broken';
      continue;
    }
    const object = asObject(item.value);
    if (item.path === 'source') {
      context.sourceType = textAt(object, 'type');
      context.target = object?.target;
    } else if (item.path === 'distro')
      context.distro = [textAt(object, 'name'), textAt(object, 'version')].filter((part) => part !== undefined).join(' ');
    else if (item.path === 'descriptor.version' && typeof item.value === 'string') context.version = item.value;
  }
  return { context, isEmpty };
}
