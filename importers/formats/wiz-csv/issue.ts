import { cloudItems } from '../../normalize/cloud-finding.js';
import type { ReportItems } from '../../normalize/observation.js';
import { toSeverity } from '../../normalize/severity.js';
import { compact, requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../../types.js';
import { writtenId, wizPlace } from './place.js';

/** What somebody chose to ignore says nothing. */
const RESULTS: Readonly<Record<string, 'FAIL' | 'PASS'>> = { OPEN: 'FAIL', UNRESOLVED: 'FAIL', IN_PROGRESS: 'FAIL', RESOLVED: 'PASS' };

/** Turns an issue into its rule (the first time) and its observation of the engine `check`. */
export function readIssue(row: JsonObject, position: string, options: ImportOptions, items: ReportItems): ImportItem[] {
  const title = requireText(row, 'title').trim();
  const status = requireText(row, 'status');
  const result = RESULTS[status.trim().toUpperCase().replace(/\s/g, '_')];
  if (result === undefined) return [];
  const name = textAt(row, 'resource name');
  const id = textAt(row, 'resource external id') ?? textAt(row, 'resource vertex id') ?? name ?? requireText(row, 'resource external id');
  const issue = requireText(row, 'issue id');
  const guidance = textAt(row, 'remediation recommendation');
  return cloudItems(
    {
      source: 'wiz',
      engine: 'check',
      ruleId: textAt(row, 'control id') ?? title,
      title,
      description: textAt(row, 'description'),
      severity: toSeverity(textAt(row, 'severity')) ?? 'info',
      result,
      place: wizPlace(
        {
          uid: writtenId(id, textAt(row, 'resource original json')),
          name,
          type: textAt(row, 'resource type'),
          platform: textAt(row, 'resource platform'),
          account: textAt(row, 'subscription id'),
          region: textAt(row, 'resource region'),
          metadata: compact({
            account_name: textAt(row, 'subscription name'),
            cluster: textAt(row, 'kubernetes cluster'),
            namespace: textAt(row, 'kubernetes namespace'),
            operating_system: textAt(row, 'resource os'),
            state: textAt(row, 'resource status'),
            tags: textAt(row, 'resource tags') === '{}' ? undefined : textAt(row, 'resource tags'),
          }),
        },
        options,
      ),
      // an issue that comes back keeps its id; another of the same control on the same resource has one of its own
      discriminator: issue,
      guidance,
      // Wiz writes its recommendations in Markdown
      markdown: guidance,
      urls: [textAt(row, 'wiz url'), textAt(row, 'cloud provider url')],
      evidence: compact({
        issue_id: issue,
        status,
        resolution: textAt(row, 'resolution'),
        projects: textAt(row, 'project names'),
        note: textAt(row, 'note'),
        tickets: textAt(row, 'ticket urls'),
        created_at: textAt(row, 'created at'),
        due_at: textAt(row, 'due at'),
        resolved_at: textAt(row, 'resolved time'),
      }),
      position,
    },
    items,
  );
}
