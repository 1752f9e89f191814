import { everyFilter } from '../../../kit/findings/every-filter.js';
import { argumentsOf } from '../../../kit/findings/filters.js';
import { SORT_ARGUMENT } from '../../../kit/findings/order.js';
import { formats } from '../formats/index.js';
import { ASSET_FILTERS } from '../subjects/assets.js';
import { AUDIT_FILTERS } from '../subjects/audit-log.js';
import { FRAMEWORK_FILTERS } from '../subjects/framework.js';

const FORMATS = formats.map(({ name, label, subjects }) => `  "${label}: of ${subjects.join(', ')}."\n  ${name}`).join('\n');

/** The inputs of what can be exported: the filters of the lists, from the tables that these are made of. */
export const subjectInputs = `
"A format of files."
enum ExportFormat {
${FORMATS}
}

"What can be exported."
enum ExportSubject {
  "Findings of one engine or of several."
  findings
  "Assets of the inventory."
  assets
  "A compliance framework with its score and its controls."
  framework
  "The audit log of the tenant."
  audit_log
}

"Which findings: the filters of their list. OR within one list, AND between them."
input FindingsExportInput {${argumentsOf(everyFilter())}${SORT_ARGUMENT.replace('without it worst severity first, then newest, then finding_id', 'without it by when they were first seen, newest first')}
}

"Which assets: the filters of their list. OR within one list, AND between them."
input AssetsExportInput {${argumentsOf(ASSET_FILTERS)}
}

"Which framework, and over which part of the estate."
input FrameworkExportInput {${argumentsOf(FRAMEWORK_FILTERS)}
}

"Which entries of the audit log. OR within one list, AND between them."
input AuditLogExportInput {${argumentsOf(AUDIT_FILTERS)}
}
`;
