import type { ReportItems } from '../../normalize/observation.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import { secretItems, type SecretPlace } from '../../normalize/secret-finding.js';
import { toSeverity } from '../../normalize/severity.js';
import { requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem } from '../../types.js';
import { fileOf, rangeOf, resultOf, type CheckovContext } from './context.js';

/** Where a secret stands. */
export const secretPlaceOf = (record: JsonObject): SecretPlace => ({
  detector: textAt(record, 'check_name') ?? textAt(record, 'check_id') ?? 'secret',
  file: fileOf(record),
  line: rangeOf(record)[0],
});

/** Turns one secret into its rule (the first time) and its observation. `resource` is a plain digest of the secret, and is not read. */
export function readCheckovSecret(
  record: JsonObject,
  { position }: JsonValueItem,
  context: CheckovContext,
  items: ReportItems,
): ImportItem[] {
  const checkId = requireText(record, 'check_id');
  if (resultOf(record) !== 'FAIL') return [];
  const where = secretPlaceOf(record);
  return secretItems(
    {
      source: 'checkov',
      tool: 'Checkov',
      detector: where.detector,
      severity: toSeverity(textAt(record, 'severity')),
      verified: textAt(record, 'validation_status')?.toLowerCase() === 'valid' ? true : undefined,
      file: where.file,
      startLine: where.line,
      endLine: rangeOf(record)[1],
      urls: [textAt(record, 'guideline')],
      evidence: { check_id: checkId },
      rank: context.ranks.rankOf(where),
      secrets: [textAt(record, 'resource')],
      place: context.place,
      position,
    },
    items,
  );
}
