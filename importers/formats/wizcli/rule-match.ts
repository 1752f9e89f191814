import { declaredItems } from '../../normalize/declared-finding.js';
import { safeId, type ReportItems } from '../../normalize/observation.js';
import { repositoryFile } from '../../normalize/repository-file.js';
import { toSeverity } from '../../normalize/severity.js';
import { statedValue } from '../../normalize/stated-value.js';
import { numberAt, requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import { BrokenRecord } from '../../readers/record.js';
import type { ImportItem } from '../../types.js';
import type { WizcliContext } from './context.js';

const RULE = 'result.ruleMatches[*].';
export const MATCHES = `${RULE}matches[*]`;
export const RULE_PATHS = ['rule.id', 'rule.name', 'severity'].map((name) => `${RULE}${name}`);

/** Turns one place that a rule for infrastructure code matched into its observation. */
export function readRuleMatch(record: JsonObject, item: JsonValueItem, context: WizcliContext, items: ReportItems): ImportItem[] {
  const ruleText = (name: string) => context.surroundings.textNear(`${RULE}${name}`, item.indices);
  const name = ruleText('rule.name');
  const named = ruleText('rule.id') ?? name;
  if (named === undefined) throw new BrokenRecord('the rule of the match has neither id nor name');
  const ruleId = safeId(named);
  const address = textAt(record, 'resourceName');
  const line = numberAt(record, 'lineNumber');
  const code = textAt(record, 'matchContent');
  const about = [name, textAt(record, 'expected'), address];
  const expected = statedValue(textAt(record, 'expected'), about);
  const language = textAt(record, 'fileType')?.toLowerCase().replaceAll('_', '');
  return declaredItems(
    {
      source: 'wizcli',
      ruleId,
      title: name ?? ruleId,
      severity: toSeverity(ruleText('severity')) ?? 'medium',
      result: 'FAIL',
      resource: { address: address?.replace(/^([a-z]\w+)\[([\w-]+)\]$/, '$1.$2'), language },
      file: repositoryFile(requireText(record, 'fileName'), { root: context.root, artifact: context.options.artifact }),
      startLine: line,
      endLine: line,
      ...(code !== undefined && { lines: [code] }),
      fingerprint: address,
      guidance: textAt(record, 'remediationInstructions') ?? expected,
      evidence: { expected, found: statedValue(textAt(record, 'found'), about), framework: language },
      position: item.position,
    },
    context.options,
    items,
  );
}
