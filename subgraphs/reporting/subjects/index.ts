import type { SubjectKind } from '../formats/format.js';
import { assetsSubject } from './assets.js';
import { auditLogSubject } from './audit-log.js';
import { findingsSubject } from './findings.js';
import { frameworkSubject } from './framework.js';
import type { Subject } from './subject.js';

/** What can be exported, by the name under which a body asks for it. */
export const subjects: Readonly<Record<SubjectKind, Subject>> = {
  findings: findingsSubject,
  assets: assetsSubject,
  framework: frameworkSubject,
  audit_log: auditLogSubject,
};
