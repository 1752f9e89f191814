import type { ReportItems } from '../../normalize/observation.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import { objectsAt, requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem } from '../../types.js';
import { advisoryOf, titleOf, type NpmAuditContext } from './package.js';

/** Turns one advisory (npm 6, pnpm, Yarn 1) into an observation for each installed version that it speaks of. */
export function readLegacyAdvisory(
  record: JsonObject,
  { position }: { position: string },
  { place, source }: NpmAuditContext,
  items: ReportItems,
): ImportItem[] {
  const name = requireText(record, 'module_name');
  const patched = textAt(record, 'patched_versions');
  const findings = objectsAt(record, 'findings');
  return (findings.length === 0 ? [{}] : findings).flatMap((finding) =>
    vulnerabilityItems(
      {
        source,
        advisory: {
          ...advisoryOf(record),
          description: textAt(record, 'overview'),
          guidance: textAt(record, 'recommendation'),
          urls: [textAt(record, 'url'), ...(textAt(record, 'references') ?? '').split(/[\s()]+/)],
          // `>=1.2.3 <2.0.0 || >=2.1.0` names where fixes begin; `<0.0.0` says that there are none
          fixedVersions: [...(patched ?? '').matchAll(/>=?\s*([\w.+-]+)/g)].map((match) => match[1] as string),
          publishedAt: textAt(record, 'created'),
          modifiedAt: textAt(record, 'updated'),
        },
        package: {
          name,
          version: textAt(finding, 'version'),
          ecosystem: 'npm',
          dependencyPaths: textsAt(finding, 'paths')
            .slice(0, 20)
            .map((path) => path.replaceAll('>', ' > ')),
        },
        place,
        title: titleOf(textAt(record, 'title'), name),
        evidence: { vulnerable_range: textAt(record, 'vulnerable_versions'), patched_versions: patched },
        position,
      },
      items,
    ),
  );
}
