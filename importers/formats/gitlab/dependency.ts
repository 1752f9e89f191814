import { imagePlace } from '../../normalize/artifact.js';
import { toRating } from '../../normalize/cvss.js';
import type { PlaceDraft, ReportItems } from '../../normalize/observation.js';
import { vulnerabilityItems, type Advisory } from '../../normalize/package-vulnerability.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import { toSeverity } from '../../normalize/severity.js';
import { compact, member, objectAt, objectsAt, requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem } from '../../types.js';
import { identifiersOf, linksOf, weaknessesOf, type GitLabContext } from './context.js';

/** Types of identifiers that name no vulnerability. */
const NO_NAMES = new Set(['cwe', 'owasp', 'name', 'gemnasium', 'trivy', 'grype']);

/** Turns one vulnerability of a dependency into its rule (the first time) and its observation. */
export function readPackageVulnerability(
  record: JsonObject,
  { position }: JsonValueItem,
  context: GitLabContext,
  items: ReportItems,
): ImportItem[] {
  const location = objectAt(record, 'location');
  const file = textAt(location, 'file');
  return vulnerabilityOf(record, position, context, items, {
    place: context.place,
    ecosystem: context.packageManagers.get(file ?? ''),
    path: file,
  });
}

/** Turns one vulnerability of a package in an image into its rule (the first time) and its observation. */
export function readImageVulnerability(
  record: JsonObject,
  { position }: JsonValueItem,
  context: GitLabContext,
  items: ReportItems,
): ImportItem[] {
  const location = objectAt(record, 'location');
  const system = textAt(location, 'operating_system');
  const image = textAt(location, 'image') ?? context.options.artifact ?? 'image';
  return vulnerabilityOf(record, position, context, items, {
    place: imagePlace(image, context.options, { os: system }),
    ecosystem: /^unknown/i.test(system ?? '') ? undefined : system?.toLowerCase(),
    path: undefined,
  });
}

function vulnerabilityOf(
  record: JsonObject,
  position: string,
  context: GitLabContext,
  items: ReportItems,
  { place, ecosystem, path }: { place: PlaceDraft; ecosystem: string | undefined; path: string | undefined },
): ImportItem[] {
  const dependency = objectAt(objectAt(record, 'location'), 'dependency');
  const identifiers = identifiersOf(record);
  const names = identifiers.filter(({ type }) => !NO_NAMES.has(type)).map(({ value }) => value);
  const [id = identifiers[0].value, ...aliases] = names;
  const title = textAt(record, 'name') ?? textAt(record, 'message');
  const advisory: Advisory = {
    id,
    aliases,
    title,
    description: textAt(record, 'description'),
    severity: toSeverity(textAt(record, 'severity')),
    ratings: objectsAt(record, 'cvss_vectors').map((one) => toRating(undefined, textAt(one, 'vector'), { source: textAt(one, 'vendor') })),
    cwes: weaknessesOf(identifiers),
    urls: linksOf(record, identifiers),
    guidance: textAt(record, 'solution'),
  };
  return vulnerabilityItems(
    {
      source: context.source,
      advisory,
      package: {
        // some analyzers name the file alone
        name:
          textAt(objectAt(dependency, 'package'), 'name') ??
          textAt(objectAt(record, 'location'), 'file') ??
          requireText(objectAt(dependency, 'package'), 'name', 'location.dependency.package.name'),
        version: textAt(dependency, 'version'),
        ecosystem,
        paths: path === undefined ? [] : [path],
      },
      place,
      evidence: compact({
        tool: textAt(objectAt(record, 'scanner'), 'name') ?? context.tool,
        direct: member(dependency, 'direct'),
        identifiers: identifiers.map(({ name, value }) => name ?? value),
        flags: objectsAt(record, 'flags').flatMap((flag) => textAt(flag, 'type') ?? []),
      }),
      position,
    },
    items,
  );
}
