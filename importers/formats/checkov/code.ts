import { codeItems } from '../../normalize/code-finding.js';
import { linesOf as codeOf } from '../../normalize/numbered-lines.js';
import type { ReportItems } from '../../normalize/observation.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import { requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem } from '../../types.js';
import { fileOf, linesOf, rangeOf, resultOf, severityOf, type CheckovContext } from './context.js';

/** Turns one finding in code (frameworks `sast_*`) into its rule (the first time) and its observation. */
export function readCheckovCode(
  record: JsonObject,
  { position }: JsonValueItem,
  { place }: CheckovContext,
  items: ReportItems,
): ImportItem[] {
  const ruleId = requireText(record, 'check_id');
  const result = resultOf(record);
  if (result === undefined) return [];
  const [startLine, endLine] = rangeOf(record);
  const cwes = textsAt(record, 'cwe');
  return codeItems(
    {
      source: 'checkov',
      tool: 'Checkov',
      ruleId,
      title: textAt(record, 'check_name') ?? ruleId,
      description: textAt(record, 'description') ?? textAt(record, 'short_description'),
      severity: severityOf(record),
      result,
      location: { file: fileOf(record), startLine, endLine },
      snippet: codeOf(linesOf(record).join('\n'), startLine, endLine),
      cwes,
      owasp: textsAt(record, 'owasp'),
      urls: [textAt(record, 'guideline')],
      isSecret: cwes.some((cwe) => /CWE-(?:798|259|321)\b/.test(cwe)),
      place,
      position,
    },
    items,
  );
}
