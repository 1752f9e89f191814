import { toRating } from '../../normalize/cvss.js';
import type { PlaceDraft, ReportItems } from '../../normalize/observation.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import { toSeverity } from '../../normalize/severity.js';
import { member, numberAt, objectAt, objectsAt, requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../../types.js';

/** What the records of a report share. */
export interface NpmAuditContext {
  /** The tool that asked the registry. */
  source: string;
  place: PlaceDraft;
  options: ImportOptions;
}

/**
 * Turns one vulnerable package (npm 7 and later) into the advisories that speak of it. A package that is only vulnerable by another
 * names that one in `via` and gives nothing of its own.
 */
export function readNpmPackage(
  record: JsonObject,
  { names, position }: JsonValueItem,
  { place, source }: NpmAuditContext,
  items: ReportItems,
): ImportItem[] {
  const name = textAt(record, 'name') ?? names[0] ?? requireText(record, 'name');
  return objectsAt(record, 'via').flatMap((via) => {
    const affected = textAt(via, 'name') ?? name;
    return vulnerabilityItems(
      {
        source,
        advisory: { ...advisoryOf(via), guidance: fixOf(record, affected) },
        package: { name: affected, ecosystem: 'npm', paths: textsAt(record, 'nodes') },
        place,
        title: titleOf(textAt(via, 'title'), affected),
        evidence: {
          vulnerable_range: textAt(via, 'range') ?? textAt(record, 'range'),
          direct: member(record, 'isDirect'),
          affects: textsAt(record, 'effects').slice(0, 50),
          fix_available: member(record, 'fixAvailable'),
        },
        position,
      },
      items,
    );
  });
}

/** What the forms of both versions of an advisory have in common. */
export function advisoryOf(advisory: JsonObject) {
  const url = textAt(advisory, 'url');
  const named = textAt(advisory, 'github_advisory_id') ?? /GHSA(?:-[0-9a-z]{4}){3}/i.exec(url ?? '')?.[0];
  const number = textAt(advisory, 'source') ?? textAt(advisory, 'id');
  const cves = textsAt(advisory, 'cves');
  const cvss = objectAt(advisory, 'cvss');
  const vector = textAt(cvss, 'vectorString');
  return {
    id: named ?? cves[0] ?? (number === undefined ? requireText(advisory, 'url') : `NPM-${number}`),
    aliases: cves,
    title: textAt(advisory, 'title'),
    severity: toSeverity(textAt(advisory, 'severity')),
    // a score of 0 without a vector says that nobody has rated it
    ratings: [vector === undefined && numberAt(cvss, 'score') === 0 ? undefined : toRating(numberAt(cvss, 'score'), vector)],
    cwes: textsAt(advisory, 'cwe'),
    urls: [url],
  };
}

/** An advisory's title says what is wrong, and often not with what. */
export function titleOf(title: string | undefined, packageName: string): string | undefined {
  return title === undefined || title.toLowerCase().includes(packageName.toLowerCase()) ? title : `${title} in ${packageName}`;
}

function fixOf(record: JsonObject, affected: string): string | undefined {
  const fix = objectAt(record, 'fixAvailable');
  const [name, version] = [textAt(fix, 'name'), textAt(fix, 'version')];
  if (member(record, 'fixAvailable') === true) return `Run \`npm audit fix\`: it updates ${affected} within the ranges of package.json.`;
  if (name === undefined || version === undefined) return undefined;
  return `Update ${name} to ${version}${member(fix, 'isSemVerMajor') === true ? ', a major version that may break what uses it' : ''}.`;
}
