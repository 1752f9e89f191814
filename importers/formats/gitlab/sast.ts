import { codeItems } from '../../normalize/code-finding.js';
import type { ReportItems } from '../../normalize/observation.js';
import { firstSentence } from '../../normalize/plain-title.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import { repositoryFile } from '../../normalize/repository-file.js';
import { toSeverity } from '../../normalize/severity.js';
import { compact, numberAt, objectAt, objectsAt, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem } from '../../types.js';
import { identifiersOf, linksOf, weaknessesOf, type GitLabContext } from './context.js';

/** Algorithms of GitLab's own tracking, the one that outlives most edits first. */
const SIGNATURES = ['scope_offset_compressed', 'scope_offset', 'location', 'hash'];

/** Turns one vulnerability in code into its rule (the first time) and its observation. */
export function readCodeVulnerability(
  record: JsonObject,
  { position }: JsonValueItem,
  context: GitLabContext,
  items: ReportItems,
): ImportItem[] {
  const identifiers = identifiersOf(record);
  const [primary] = identifiers;
  const location = objectAt(record, 'location');
  const file = textAt(location, 'file');
  const description = textAt(record, 'description');
  const message = textAt(record, 'message');
  const scanner = objectAt(record, 'scanner');
  const said = textAt(record, 'name') ?? message ?? (description === undefined ? undefined : firstSentence(description));
  const title = said ?? primary.name ?? primary.value;
  return codeItems(
    {
      source: context.source,
      tool: textAt(scanner, 'name') ?? context.tool ?? 'GitLab SAST',
      toolVersion: context.toolVersion,
      ruleId: primary.value,
      title: title.replace(/\.$/, ''),
      message: message ?? description ?? title,
      description,
      severity: toSeverity(textAt(record, 'severity')) ?? 'info',
      location: {
        file: file === undefined ? undefined : repositoryFile(file, { artifact: context.options.artifact }),
        startLine: numberAt(location, 'start_line'),
        endLine: numberAt(location, 'end_line'),
      },
      snippet: textAt(record, 'raw_source_code_extract'),
      fingerprint: signatureOf(record),
      cwes: weaknessesOf(identifiers),
      owasp: identifiers.filter(({ type }) => type === 'owasp').map(({ value, name }) => name ?? value),
      urls: linksOf(record, identifiers),
      guidance: textAt(record, 'solution'),
      isSecret: weaknessesOf(identifiers).some((cwe) => /-(?:798|259|321)$/.test(cwe)),
      evidence: compact({
        class: textAt(location, 'class'),
        method: textAt(location, 'method'),
        confidence: textAt(record, 'confidence'),
        identifiers: identifiers.map(({ name, value }) => name ?? value),
        flags: objectsAt(record, 'flags').flatMap((flag) => textAt(flag, 'type') ?? []),
      }),
      place: context.place,
      position,
    },
    items,
  );
}

/** What GitLab itself follows a vulnerability through edits by: a signature since schema 14. */
function signatureOf(record: JsonObject): string | undefined {
  const signatures = objectsAt(objectAt(record, 'tracking'), 'items').flatMap((item) => objectsAt(item, 'signatures'));
  for (const algorithm of SIGNATURES) {
    const found = signatures.find((signature) => textAt(signature, 'algorithm') === algorithm);
    if (found !== undefined) return textAt(found, 'value');
  }
  // before, `<file>:<digest of the line>:<rule>`; analyzers that put line numbers there have signatures
  const key = textAt(record, 'cve');
  return /:[0-9a-f]{64}:/.test(key ?? '') ? key : undefined;
}
