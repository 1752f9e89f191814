import type { ReportItems } from '../../normalize/observation.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import { repositoryFile } from '../../normalize/repository-file.js';
import { secretItems, type SecretPlace } from '../../normalize/secret-finding.js';
import { toSeverity } from '../../normalize/severity.js';
import { numberAt, objectAt, objectsAt, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem } from '../../types.js';
import { identifiersOf, linksOf, type GitLabContext } from './context.js';

/** What stands for a commit where the files as they are were scanned. */
const NO_COMMIT = /^0+$/;

/** Where a secret stands. */
export function secretPlaceOf(record: JsonObject): SecretPlace {
  const location = objectAt(record, 'location');
  const file = textAt(location, 'file');
  const commit = textAt(objectAt(location, 'commit'), 'sha');
  const [first] = objectsAt(record, 'identifiers');
  return {
    detector: textAt(first, 'value') ?? textAt(record, 'name') ?? 'secret',
    file: file === undefined ? undefined : repositoryFile(file),
    commit: commit === undefined || NO_COMMIT.test(commit) ? undefined : commit,
    line: numberAt(location, 'start_line'),
  };
}

/**
 * Turns one leaked secret into its rule (the first time) and its observation. `raw_source_code_extract` is the secret, and `cve` and `id`
 * are made of it.
 */
export function readLeakedSecret(
  record: JsonObject,
  { position }: JsonValueItem,
  context: GitLabContext,
  items: ReportItems,
): ImportItem[] {
  const identifiers = identifiersOf(record);
  const where = secretPlaceOf(record);
  return secretItems(
    {
      source: context.source,
      tool: textAt(objectAt(record, 'scanner'), 'name') ?? context.tool ?? 'GitLab Secret Detection',
      detector: where.detector,
      description: textAt(record, 'description'),
      severity: toSeverity(textAt(record, 'severity')),
      file: where.file,
      startLine: where.line,
      endLine: numberAt(objectAt(record, 'location'), 'end_line'),
      commit: where.commit,
      urls: linksOf(record, identifiers),
      rank: context.ranks.rankOf(where),
      secrets: [textAt(record, 'raw_source_code_extract')],
      place: context.place,
      position,
    },
    items,
  );
}
