import { compact, requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ProwlerCheck } from './check.js';

/** `[check11] Avoid the use of the root account (Scored)`: the check's own id, and what it asks. */
export function splitControl(control: string, section: string | undefined): Pick<ProwlerCheck, 'checkId' | 'title'> {
  const [, id, title = control] = /^\[([\w.-]+)\]\s*(.+)$/s.exec(control.trim()) ?? [];
  const plain = title.replace(/(?:\s*\((?:Not )?(?:Scored|part of [^)]*)\))+\s*$/i, '').trim();
  return { checkId: id ?? section ?? plain, title: plain === '' ? control : plain };
}

/** Reads a line of the JSON of version 2. */
export function readVersion2Line(record: JsonObject): ProwlerCheck {
  const section = textAt(record, 'Control ID');
  const uid = textAt(record, 'Resource ID');
  return {
    ...splitControl(requireText(record, 'Control'), section),
    status: requireText(record, 'Status'),
    isMuted: false,
    detail: textAt(record, 'Message'),
    severity: textAt(record, 'Severity'),
    provider: 'aws',
    account: textAt(record, 'Account Number'),
    region: textAt(record, 'Region'),
    resource: uid === undefined ? undefined : { uid, name: undefined, type: undefined },
    service: textAt(record, 'Service'),
    description: undefined,
    risk: textAt(record, 'Risk'),
    guidance: textAt(record, 'Remediation'),
    references: [textAt(record, 'Doc link')],
    controls: [],
    categories: [],
    evidence: compact({
      control_id: section,
      level: textAt(record, 'Level'),
      compliance: textAt(record, 'Compliance'),
      caf_epic: textAt(record, 'CAF Epic'),
      detected_at: textAt(record, 'Timestamp'),
    }),
    metadata: compact({ account_email: textAt(record, 'Account Email'), organization_id: textAt(record, 'Account Organization') }),
  };
}
