import { declaredItems } from '../../normalize/declared-finding.js';
import type { ReportItems } from '../../normalize/observation.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import { repositoryFile } from '../../normalize/repository-file.js';
import { toSeverity } from '../../normalize/severity.js';
import { member, numberAt, objectAt, requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem } from '../../types.js';
import type { SnykContext } from './context.js';

/** Turns one issue of infrastructure code into its rule (the first time) and its observation; an ignored one gives nothing. */
export function readInfrastructureIssue(
  record: JsonObject,
  item: JsonValueItem,
  { projects, options }: SnykContext,
  items: ReportItems,
): ImportItem[] {
  const ruleId = requireText(record, 'id');
  if (member(record, 'isIgnored') === true) return [];
  const project = projects.at(item.path.replace(/infrastructureAsCodeIssues\[\*\]$/, ''), item.indices.slice(0, -1));
  const description = objectAt(record, 'iacDescription');
  const line = numberAt(record, 'lineNumber');
  const language = textAt(record, 'type') ?? project.packageManager;
  const path = textsAt(record, 'path');
  return declaredItems(
    {
      source: 'snyk',
      ruleId,
      title: textAt(record, 'title') ?? ruleId,
      description: textAt(record, 'issue') ?? textAt(description, 'issue'),
      severity: toSeverity(textAt(record, 'severityWithCritical') ?? textAt(record, 'severity')) ?? 'medium',
      result: 'FAIL',
      resource: { address: addressOf(path), language: /k8s/.test(language ?? '') ? 'kubernetes' : language },
      file: repositoryFile(project.file ?? 'unknown', { artifact: options.artifact }),
      startLine: line !== undefined && line > 0 ? line : undefined,
      endLine: line !== undefined && line > 0 ? line : undefined,
      fingerprint: path.length > 0 ? path.join('.') : textAt(record, 'msg'),
      guidance: textAt(record, 'resolve') ?? textAt(description, 'resolve'),
      urls: [textAt(record, 'documentation'), ...textsAt(record, 'references')],
      evidence: {
        framework: language,
        category: textAt(record, 'subType'),
        impact: textAt(record, 'impact') ?? textAt(description, 'impact'),
        attribute: path.join('.') || undefined,
        custom_rule: member(record, 'isGeneratedByCustomRule') === true ? true : undefined,
      },
      position: item.position,
    },
    options,
    items,
  );
}

/** `["resource", "aws_s3_bucket[logs]", "acl"]` names `aws_s3_bucket.logs`; other languages name a place in the document. */
function addressOf(path: readonly string[]): string | undefined {
  const [, type, name] = path.map((step) => /^([a-z][a-z0-9]*_\w+)\[([\w-]+)\]$/.exec(step)).find((match) => match !== null) ?? [];
  return type === undefined || name === undefined ? undefined : `${type}.${name}`;
}
