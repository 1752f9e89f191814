import type { Severity } from '../../../schema/model.js';
import { hostItems } from '../../normalize/host-finding.js';
import type { PlaceDraft, ReportItems } from '../../normalize/observation.js';
import { findTechniques } from '../../normalize/taxonomy.js';
import { compact, numberAt, objectAt, requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem } from '../../types.js';
import { controlsOf, readCheck } from './check.js';

/** The members of an alert's rule that name controls. */
const FRAMEWORKS = ['pci_dss', 'hipaa', 'gdpr', 'gpg13', 'tsc', 'nist_800_53'];

/** Turns an alert into the check that it tells of, else into the finding that its rule fired on the host: one, however often it did. */
export function readAlert(document: JsonObject, place: PlaceDraft, position: string, items: ReportItems): ImportItem[] {
  const assessment = objectAt(objectAt(document, 'data'), 'sca');
  const check = objectAt(assessment, 'check');
  if (check !== undefined) return readCheck(check, textAt(assessment, 'policy'), place, position, items);
  const rule = objectAt(document, 'rule');
  const id = requireText(rule, 'id', 'rule.id');
  const level = numberAt(rule, 'level') ?? 0;
  const mitre = objectAt(rule, 'mitre');
  const title = textAt(rule, 'description') ?? `Rule ${id}`;
  const file = textAt(objectAt(document, 'syscheck'), 'path');
  return hostItems(
    {
      source: 'wazuh',
      engine: 'cwpp',
      ruleId: `wazuh-rule-${id}`,
      title,
      severity: severityOfLevel(level),
      place,
      discriminator: file,
      controls: FRAMEWORKS.flatMap((key) => controlsOf(key, textsAt(rule, key))),
      mitreTechniques: findTechniques(textsAt(mitre, 'id')),
      // the log itself may hold anything
      evidence: compact({
        status_detail: title,
        workload: place.resource_uid,
        file,
        signature: id,
        level,
        groups: textsAt(rule, 'groups'),
        location: textAt(document, 'location'),
        decoder: textAt(objectAt(document, 'decoder'), 'name'),
        observed_at: textAt(document, 'timestamp') ?? textAt(document, '@timestamp'),
      }),
      isOnce: true,
      position,
    },
    items,
  );
}

/** As Wazuh's dashboard groups levels. */
function severityOfLevel(level: number): Severity {
  if (level >= 15) return 'critical';
  if (level >= 12) return 'high';
  if (level >= 7) return 'medium';
  return level >= 3 ? 'low' : 'info';
}
