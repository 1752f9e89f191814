import type { PlaceDraft, ReportItems } from '../../normalize/observation.js';
import { repositoryFile } from '../../normalize/repository-file.js';
import { secretItems, type SecretPlace, type SecretRanks } from '../../normalize/secret-finding.js';
import { toSeverity } from '../../normalize/severity.js';
import { numberAt, objectAt, requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem } from '../../types.js';
import type { TrivyRecordPlace, TrivyResult } from './context.js';

/** The members of a secret that say what it is and where. */
export const SECRET_MEMBERS = ['RuleID', 'StartLine'] as const;

/** Where a secret stands; undefined for a record that names no rule. Files of images are those of no repository. */
export function placeOfSecret(record: JsonObject, result: TrivyResult, resource: PlaceDraft): SecretPlace | undefined {
  const detector = textAt(record, 'RuleID');
  if (detector === undefined) return undefined;
  const { target } = result;
  const file =
    target === undefined || resource.resource_type !== 'code_repository' ? target : repositoryFile(target, { artifact: resource.artifact });
  return { detector, file, line: numberAt(record, 'StartLine') };
}

/** Turns one entry of `Secrets` into its rule (the first time) and its observation. Neither the match nor the lines around it are taken: they are where the secret stands. */
export function readTrivySecret(
  record: JsonObject,
  { result, position }: TrivyRecordPlace,
  resource: PlaceDraft,
  secrets: SecretRanks,
  items: ReportItems,
): ImportItem[] {
  const detector = requireText(record, 'RuleID');
  const where = { ...placeOfSecret(record, result, resource), detector };
  return secretItems(
    {
      source: 'trivy',
      tool: 'Trivy',
      detector,
      description: textAt(record, 'Title'),
      severity: toSeverity(textAt(record, 'Severity')),
      file: where.file,
      startLine: where.line,
      endLine: numberAt(record, 'EndLine'),
      rank: secrets.rankOf(where),
      secrets: [],
      formerly: { rule_id: detector, discriminator: `${result.target ?? ''}:${where.line ?? ''}` },
      evidence: { category: textAt(record, 'Category'), layer: textAt(objectAt(record, 'Layer'), 'DiffID') },
      place: resource,
      position,
    },
    items,
  );
}
