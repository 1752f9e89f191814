import type { ReportItems } from '../../normalize/observation.js';
import { configurationItems } from '../../normalize/configuration-finding.js';
import { secretItems } from '../../normalize/secret-finding.js';
import { toSeverity } from '../../normalize/severity.js';
import { requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../../types.js';
import { deepfencePlace } from './place.js';

/** Where the scanner unpacks what it looks into. */
const UNPACKED = /^\/tmp\/Deepfence\/\w+\/df_[0-9a-f]+(?=\/)/;

const nodeOf = (row: JsonObject, options: ImportOptions) =>
  deepfencePlace(
    {
      type: textAt(row, 'nodetype') ?? textAt(row, 'node type'),
      name: textAt(row, 'node name'),
      container: textAt(row, 'container name'),
      cluster: textAt(row, 'kubernetes cluster name'),
    },
    options,
  );

/** Turns one file that a rule matched into its rule (the first time) and its observation. */
export function readMalware(row: JsonObject, position: string, options: ImportOptions, items: ReportItems): ImportItem[] {
  const rule = requireText(row, 'rule name');
  const file = requireText(row, 'file name').replace(UNPACKED, '');
  const place = nodeOf(row, options);
  const summary = textAt(row, 'summary');
  return configurationItems(
    {
      source: 'deepfence',
      engine: 'cwpp',
      ruleId: rule,
      title: `${textAt(row, 'class') ?? 'Malware'}: ${rule.replaceAll('_', ' ')}`,
      description: summary,
      severity: toSeverity(textAt(row, 'severity')) ?? 'medium',
      result: 'FAIL',
      place,
      part: file,
      tags: [textAt(row, 'class')],
      evidence: {
        status_detail: summary,
        file,
        signature: rule,
        malware_class: textAt(row, 'class') ?? 'malware',
        workload: place.resource_name,
        cluster: textAt(row, 'kubernetes cluster name'),
      },
      position,
    },
    items,
  );
}

/** Turns one secret into its rule (the first time) and its observation; what matched, and by which expression, is not kept. */
export function readSecret(row: JsonObject, position: string, options: ImportOptions, items: ReportItems): ImportItem[] {
  return secretItems(
    {
      source: 'deepfence',
      tool: 'Deepfence',
      detector: textAt(row, 'name') ?? requireText(row, 'rule'),
      severity: toSeverity(textAt(row, 'severity')),
      file: requireText(row, 'filename'),
      evidence: { rule: textAt(row, 'rule'), cluster: textAt(row, 'kubernetes cluster name') },
      secrets: [textAt(row, 'content')],
      place: nodeOf(row, options),
      position,
    },
    items,
  );
}
