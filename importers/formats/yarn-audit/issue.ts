import { safeId, type ReportItems } from '../../normalize/observation.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import { toSeverity } from '../../normalize/severity.js';
import { objectAt, requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem } from '../../types.js';
import { titleOf, type NpmAuditContext } from '../npm-audit/package.js';

/** Where a package stands in a workspace of Yarn: `app@workspace:packages/app`, `qs@npm:6.5.2`, `a@virtual:<digest>#npm:1.0.0`. */
const LOCATOR = /^((?:@[^/]+\/)?[^@]+)@(?:virtual:[0-9a-f]+#)?(?:npm:|workspace:)?(.*)$/;

/** Turns one issue of Yarn 4 into an observation for each version that is installed. Deprecated packages are issues, too. */
export function readYarnIssue(
  record: JsonObject,
  { position }: { position: string },
  { place, source }: NpmAuditContext,
  items: ReportItems,
): ImportItem[] {
  const name = requireText(record, 'value');
  const issue = objectAt(record, 'children');
  const id = requireText(issue, 'ID', 'children.ID');
  const url = textAt(issue, 'URL');
  const ghsa = /GHSA(?:-[0-9a-z]{4}){3}/i.exec(url ?? '')?.[0];
  const title = textAt(issue, 'Issue');
  const versions = textsAt(issue, 'Tree Versions');
  return (versions.length === 0 ? [undefined] : versions).flatMap((version) =>
    vulnerabilityItems(
      {
        source,
        advisory: {
          id: ghsa ?? (/^\d+$/.test(id) ? `NPM-${id}` : safeId(id)),
          title,
          severity: toSeverity(textAt(issue, 'Severity')),
          urls: [url],
        },
        package: {
          name,
          version,
          ecosystem: 'npm',
          dependencyPaths: textsAt(issue, 'Dependents').map((by) => `${plainName(by)} > ${name}`),
        },
        place,
        title: titleOf(title, name),
        evidence: { vulnerable_range: textAt(issue, 'Vulnerable Versions') },
        position,
      },
      items,
    ),
  );
}

const plainName = (locator: string): string => locator.replace(LOCATOR, '$1 $2');
