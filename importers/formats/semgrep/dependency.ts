import type { ReportItems } from '../../normalize/observation.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import { repositoryFile } from '../../normalize/repository-file.js';
import { findCves } from '../../normalize/taxonomy.js';
import { toSeverity } from '../../normalize/severity.js';
import {
  asObject,
  compact,
  listAt,
  member,
  objectAt,
  requireObject,
  requireText,
  textAt,
  textsAt,
  type JsonObject,
} from '../../readers/json/fields.js';
import type { ImportItem } from '../../types.js';
import type { SemgrepContext } from './context.js';
import { semgrepSeverity } from './severity.js';

/** Turns one finding of Semgrep Supply Chain into its rule (the first time) and its observation. */
export function readSemgrepDependency(
  record: JsonObject,
  { position }: JsonValueItem,
  { place, options }: SemgrepContext,
  items: ReportItems,
): ImportItem[] {
  const extra = objectAt(record, 'extra');
  const metadata = objectAt(extra, 'metadata');
  const info = requireObject(extra, 'sca_info', 'extra.sca_info');
  const match = requireObject(info, 'dependency_match', 'extra.sca_info.dependency_match');
  const found = requireObject(match, 'found_dependency', 'extra.sca_info.dependency_match.found_dependency');
  const checkId = requireText(record, 'check_id');
  const ids = [textAt(metadata, 'cve'), textAt(metadata, 'sca-vuln-database-identifier'), textAt(metadata, 'ghsa'), ...findCves([checkId])];
  const [id, ...aliases] = [...ids.filter((one) => one !== undefined), checkId];
  const lockfile = textAt(found, 'lockfile_path') ?? textAt(match, 'lockfile');
  const fixes = listAt(metadata, 'sca-fix-versions').flatMap((fix) => Object.values(asObject(fix) ?? {}));
  const message = textAt(extra, 'message');
  return vulnerabilityItems(
    {
      source: 'semgrep',
      advisory: {
        id: id as string,
        aliases: aliases.filter((one) => one !== checkId),
        description: message,
        severity: toSeverity(textAt(metadata, 'sca-severity')) ?? semgrepSeverity(textAt(extra, 'severity')),
        cwes: textsAt(metadata, 'cwe'),
        urls: [textAt(metadata, 'sca-vuln-database-identifier-url'), ...textsAt(metadata, 'references')],
        fixedVersions: fixes.filter((fix) => typeof fix === 'string'),
      },
      package: {
        name: requireText(found, 'package', 'found_dependency.package'),
        version: textAt(found, 'version'),
        ecosystem: textAt(found, 'ecosystem'),
        paths: lockfile === undefined ? [] : [repositoryFile(lockfile, { artifact: options.artifact })],
      },
      place,
      evidence: compact({
        rule: checkId,
        reachable: member(info, 'reachable'),
        transitivity: textAt(found, 'transitivity'),
        vulnerable_range: textAt(objectAt(match, 'dependency_pattern'), 'semver_range'),
      }),
      position,
    },
    items,
  );
}
