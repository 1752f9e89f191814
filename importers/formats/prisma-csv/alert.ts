import { toProvider } from '../../normalize/cloud.js';
import { cloudItems } from '../../normalize/cloud-finding.js';
import { cloudPlace } from '../../normalize/cloud-resource.js';
import type { ReportItems } from '../../normalize/observation.js';
import { toSeverity } from '../../normalize/severity.js';
import { compact, requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../../types.js';

/** What somebody dismissed or snoozed says nothing. */
const RESULTS: Readonly<Record<string, 'FAIL' | 'PASS'>> = { open: 'FAIL', pending_resolution: 'FAIL', resolved: 'PASS' };

/** Turns an alert of a policy into its rule (the first time) and its observation: of activity `cdr`, of a setting `check`. */
export function readAlert(row: JsonObject, position: string, options: ImportOptions, items: ReportItems): ImportItem[] {
  const policy = requireText(row, 'policy name');
  const status = requireText(row, 'alert status');
  const result = RESULTS[status.trim().toLowerCase().replace(/\s+/g, '_')];
  if (result === undefined) return [];
  const type = textAt(row, 'policy type');
  const name = requireText(row, 'resource name');
  const id = requireText(row, 'alert id');
  return cloudItems(
    {
      source: 'prisma cloud',
      engine: /^(?:anomaly|audit_event)$/i.test(type ?? '') ? 'cdr' : 'check',
      ruleId: textAt(row, 'policy id') ?? policy,
      title: policy,
      description: textAt(row, 'policy description') ?? textAt(row, 'description'),
      severity: toSeverity(textAt(row, 'policy severity') ?? textAt(row, 'severity')) ?? 'medium',
      result,
      place: cloudPlace(
        {
          uid: textAt(row, 'resource id') ?? textAt(row, 'resource rrn') ?? name,
          name,
          type: textAt(row, 'resource type'),
          provider: toProvider(textAt(row, 'cloud type')),
          account: textAt(row, 'cloud account id'),
          region: textAt(row, 'region'),
          metadata: compact({ account_name: textAt(row, 'cloud account name') }),
        },
        options,
      ),
      // an alert that is open again keeps its id
      discriminator: id,
      guidance: textAt(row, 'recommendation'),
      evidence: compact({
        alert_id: id,
        status,
        policy_type: type,
        labels: textAt(row, 'policy labels'),
        alert_at: textAt(row, 'alert time'),
        event_at: textAt(row, 'event occurred'),
        resolved_at: textAt(row, 'resolved on'),
        resolution: textAt(row, 'resolution reason'),
      }),
      position,
    },
    items,
  );
}
