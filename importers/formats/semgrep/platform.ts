import { codePlace } from '../../normalize/artifact.js';
import type { ReportItems } from '../../normalize/observation.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import { toSeverity } from '../../normalize/severity.js';
import { compact, objectAt, objectsAt, requireObject, requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem } from '../../types.js';
import type { SemgrepContext } from './context.js';

/** Turns one entry of the platform's list of vulnerable dependencies into its rule (the first time) and its observation. */
export function readPlatformDependency(
  record: JsonObject,
  { position }: JsonValueItem,
  { options }: SemgrepContext,
  items: ReportItems,
): ImportItem[] {
  const advisory = requireObject(record, 'advisory');
  const dependency = requireObject(record, 'matchedDependency');
  const name = requireText(dependency, 'name', 'matchedDependency.name');
  const ruleId = requireText(advisory, 'ruleId', 'advisory.ruleId');
  const status = textAt(objectAt(record, 'triage'), 'status');
  if (status === 'IGNORED' || status === 'FIXED') return [];
  const references = objectAt(advisory, 'references');
  const [id = ruleId, ...aliases] = textsAt(references, 'cveIds');
  const path = textAt(objectAt(record, 'dependencyFileLocation'), 'path');
  const fixes = [objectAt(record, 'closestSafeDependency'), ...objectsAt(advisory, 'safeDependencies')];
  return vulnerabilityItems(
    {
      source: 'semgrep',
      advisory: {
        id,
        aliases,
        title: textAt(record, 'title') ?? textAt(advisory, 'title'),
        description: textAt(advisory, 'description'),
        severity: toSeverity(textAt(advisory, 'severity')),
        cwes: textsAt(references, 'cweIds'),
        urls: textsAt(references, 'urls'),
        fixedVersions: fixes.flatMap((fix) => (textAt(fix, 'name') === name ? (textAt(fix, 'versionSpecifier') ?? []) : [])),
        publishedAt: textAt(advisory, 'announcedAt'),
      },
      package: {
        name,
        version: textAt(dependency, 'versionSpecifier'),
        ecosystem: textAt(advisory, 'ecosystem'),
        paths: path === undefined ? [] : [path],
      },
      place: codePlace({ repository: textAt(record, 'repositoryName') }, options),
      evidence: compact({
        rule: ruleId,
        exposure: textAt(record, 'exposureType'),
        reachability: textAt(advisory, 'reachability'),
        reachable_if: textAt(advisory, 'reachableIf'),
        transitivity: textAt(record, 'transitivity'),
      }),
      position,
    },
    items,
  );
}
