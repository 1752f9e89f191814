import { codeItems } from '../../normalize/code-finding.js';
import type { ReportItems } from '../../normalize/observation.js';
import { firstSentence, wordsOf } from '../../normalize/plain-title.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import { repositoryFile } from '../../normalize/repository-file.js';
import { compact, member, numberAt, objectAt, requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem } from '../../types.js';
import type { SemgrepContext } from './context.js';
import { readSemgrepDependency } from './dependency.js';
import { semgrepSeverity } from './severity.js';

/** What stands in the place of a field for those without an account. */
const REQUIRES_LOGIN = 'requires login';
/** Turns one result into its rule (the first time) and its observation; a line that says `nosemgrep` gives nothing. */
export function readSemgrepResult(record: JsonObject, item: JsonValueItem, context: SemgrepContext, items: ReportItems): ImportItem[] {
  const checkId = requireText(record, 'check_id');
  const path = requireText(record, 'path');
  const extra = objectAt(record, 'extra');
  if (member(extra, 'is_ignored') === true) return [];
  if (objectAt(extra, 'sca_info') !== undefined) return readSemgrepDependency(record, item, context, items);
  const metadata = objectAt(extra, 'metadata');
  const [start, end] = [objectAt(record, 'start'), objectAt(record, 'end')];
  const message = textAt(extra, 'message');
  const lines = given(extra, 'lines');
  const validation = textAt(extra, 'validation_state');
  const cwes = textsAt(metadata, 'cwe');
  const isSecret =
    /(?:^|[.-])secrets?[.-]/i.test(checkId) ||
    textAt(metadata, 'category') === 'secrets' ||
    (validation !== undefined && validation !== 'NO_VALIDATOR') ||
    cwes.some((cwe) => /CWE-(?:798|259|321)\b/.test(cwe));
  return codeItems(
    {
      source: 'semgrep',
      tool: 'Semgrep',
      toolVersion: context.version,
      ruleId: checkId,
      title: message === undefined ? wordsOf(checkId.slice(checkId.lastIndexOf('.') + 1)) : firstSentence(message),
      message,
      severity: validation === 'CONFIRMED_VALID' ? 'critical' : semgrepSeverity(textAt(extra, 'severity')),
      location: {
        file: repositoryFile(path, { artifact: context.options.artifact }),
        startLine: numberAt(start, 'line'),
        endLine: numberAt(end, 'line'),
        startColumn: numberAt(start, 'col'),
        endColumn: numberAt(end, 'col'),
      },
      snippet: lines,
      // made of what matched: of a secret that would be a digest to guess it by
      fingerprint: isSecret ? undefined : given(extra, 'fingerprint'),
      cwes,
      owasp: textsAt(metadata, 'owasp'),
      tags: [...textsAt(metadata, 'technology'), ...textsAt(metadata, 'vulnerability_class')],
      urls: [
        textAt(metadata, 'shortlink'),
        textAt(metadata, 'source'),
        textAt(metadata, 'source-rule-url'),
        ...textsAt(metadata, 'references'),
      ],
      guidance: isSecret ? undefined : (given(extra, 'fix') ?? textAt(metadata, 'fix')),
      isSecret,
      evidence: compact({
        category: textAt(metadata, 'category'),
        confidence: textAt(metadata, 'confidence'),
        likelihood: textAt(metadata, 'likelihood'),
        impact: textAt(metadata, 'impact'),
        engine_kind: textAt(extra, 'engine_kind'),
        validation_state: validation,
        history: textAt(objectAt(extra, 'historical_info'), 'git_commit'),
      }),
      place: context.place,
      position: item.position,
    },
    items,
  );
}

function given(extra: JsonObject | undefined, key: string): string | undefined {
  const text = textAt(extra, key);
  return text === REQUIRES_LOGIN ? undefined : text;
}
