import { imagePlace } from '../../normalize/artifact.js';
import { cloudItems } from '../../normalize/cloud-finding.js';
import { computePackages } from '../../normalize/compute-packages.js';
import { toRating } from '../../normalize/cvss.js';
import { hostPlace } from '../../normalize/host.js';
import type { PlaceDraft, ReportItems } from '../../normalize/observation.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import { purlType } from '../../normalize/purl.js';
import { toSeverity } from '../../normalize/severity.js';
import { BrokenRecord, compact, numberAt, requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../../types.js';

const SOURCE = 'prisma cloud';

/** Turns a row of hosts, images or containers into its rule (the first time) and its observation: a vulnerability or a failed check. */
export function readWorkloadRow(row: JsonObject, position: string, options: ImportOptions, items: ReportItems): ImportItem[] {
  const place = placeOf(row, options);
  return textAt(row, 'cve id') === undefined ? checkOf(row, place, position, items) : vulnerabilityOf(row, place, position, items);
}

/** Of what kind a package or a check is; reports of images in pipelines have a column of this name for the scan before it. */
const typeOf = (row: JsonObject): string | undefined => textAt(row, 'type 2') ?? textAt(row, 'type');

function vulnerabilityOf(row: JsonObject, place: PlaceDraft, position: string, items: ReportItems): ImportItem[] {
  const id = requireText(row, 'cve id');
  const version = textAt(row, 'package version');
  const fixStatus = textAt(row, 'fix status');
  const fixed = /^fixed in (.+)$/i.exec(fixStatus ?? '')?.[1];
  const path = textAt(row, 'package path');
  const score = numberAt(row, 'cvss');
  const type = typeOf(row);
  const { names, source } = computePackages(textAt(row, 'packages') ?? requireText(row, 'source package', 'packages'), type);
  const found = {
    source: SOURCE,
    advisory: {
      id,
      description: textAt(row, 'description'),
      severity: toSeverity(textAt(row, 'severity')),
      ratings: [toRating(score === 0 ? undefined : score, undefined, { version: '3.1' })],
      urls: [textAt(row, 'vulnerability link')],
      fixedVersions: fixed?.split(/,\s*/) ?? [],
      publishedAt: textAt(row, 'published'),
    },
    place,
    result: /^not affected$/i.test(fixStatus ?? '') ? ('PASS' as const) : ('FAIL' as const),
    evidence: compact({
      fix_state: fixStatus,
      source_package: textAt(row, 'source package') ?? source,
      license: textAt(row, 'package license'),
      tags: textAt(row, 'vulnerability tags'),
      risk_factors: textAt(row, 'risk factors'),
      services: textAt(row, 'services'),
      discovered_at: textAt(row, 'discovered'),
      scope: type,
    }),
    position,
  };
  const ecosystem = ecosystemOf(type, textAt(row, 'distro'), version);
  const paths = path === undefined ? [] : [path];
  return names.flatMap((name) => vulnerabilityItems({ ...found, package: { name, version, ecosystem, paths } }, items));
}

/** The kind of package: the row's own word, else its distribution where the version is one of a distribution's packages. */
function ecosystemOf(type: string | undefined, distro: string | undefined, version: string | undefined): string | undefined {
  if (purlType(type) !== undefined && !/^linux$/i.test(type ?? '')) return type;
  const word = distro?.split(/[-\s:]/)[0];
  return purlType(word) !== undefined && version?.includes('-') === true ? word : undefined;
}

function checkOf(row: JsonObject, place: PlaceDraft, position: string, items: ReportItems): ImportItem[] {
  const id = textAt(row, 'compliance id');
  if (id === undefined) throw new BrokenRecord('cve id is empty, and so is compliance id');
  const text = textAt(row, 'description') ?? `Compliance check ${id}`;
  const [, benchmark, section, title = text] = /^\(([^()]+?)\s+-\s+([\w.]+)\)\s*(.+)$/s.exec(text) ?? [];
  const type = typeOf(row) ?? '';
  const isHost = /^(?:linux|windows|host)$/i.test(type);
  const cause = textAt(row, 'cause');
  return cloudItems(
    {
      source: SOURCE,
      engine: isHost ? 'agent' : 'container-security',
      ruleId: `prisma-${id}`,
      title,
      description: text,
      severity: toSeverity(textAt(row, 'severity')) ?? 'medium',
      result: 'FAIL',
      place: { ...place, hasRegion: false },
      detail: cause,
      controls:
        benchmark === undefined || section === undefined
          ? []
          : [{ framework: benchmark.replaceAll('_', ' '), control_id: section, control_name: title }],
      evidence: compact({
        host: isHost ? place.resource_uid : undefined,
        benchmark,
        section,
        compliance_id: id,
        scope: type,
      }),
      position,
    },
    items,
  );
}

/** An image by the name that it has in its registry, whichever host it was scanned on; a host by its name. */
function placeOf(row: JsonObject, options: ImportOptions): PlaceDraft {
  const host = textAt(row, 'hostname');
  const repository = textAt(row, 'repository');
  const distro = textAt(row, 'distro');
  if (repository !== undefined) {
    const registry = textAt(row, 'registry');
    const tag = textAt(row, 'tag');
    const name = `${registry === undefined ? '' : `${registry}/`}${repository}${tag === undefined ? '' : `:${tag}`}`;
    return imagePlace(name, options, compact({ image_id: textAt(row, 'id'), digest: textAt(row, 'digest'), distro }));
  }
  const uid = host ?? textAt(row, 'container name') ?? textAt(row, 'function') ?? options.artifact;
  if (uid === undefined) throw new BrokenRecord('hostname is empty, and so is repository');
  return hostPlace({ names: [uid], operatingSystem: distro, metadata: compact({ cluster: textAt(row, 'cluster') }) }, options);
}
