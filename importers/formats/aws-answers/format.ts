import { awsAssets } from '../../cloud/aws.js';
import { answerLists } from '../../cloud/map.js';
import { readRecords } from '../../cloud/records.js';
import { readTopLevel } from '../../readers/json/top-level.js';
import type { ReportFormat } from '../../types.js';

const FORMAT = 'aws_answers';

/**
 * An answer of AWS's interfaces as its command line prints it (`aws ec2 describe-instances`, `aws iam get-account-authorization-details`): each entry of
 * the lists that `importers/cloud/tables/aws.yaml` knows. What no line there knows is a record without an asset.
 */
export const format: ReportFormat = {
  name: FORMAT,
  label: "Answers of AWS's interfaces (aws describe-…, list-…, get-account-authorization-details)",
  engines: ['di', 'check', 'iam', 'network-security', 'encryption', 'dbsec', 'datasec'],
  detection:
    'A JSON object whose members are lists that AWS names so, such as `Reservations`, `SecurityGroups`, `UserDetailList`, of objects whose first member has a capital.',
  produce: 'aws ec2 describe-instances > report.json',
  detect: (head) => {
    const top = readTopLevel(head);
    return [...top].some(([name, value]) => answerLists().includes(name) && /^\[\s*\{\s*"[A-Z]/.test(value));
  },
  read: (source, options) =>
    readRecords(
      source,
      answerLists().map((list) => `${list}[*]`),
      (entry, at) => awsAssets(ENTRY.exec(at)?.[1] ?? '', entry, at, FORMAT, options),
    ),
};

/** How an entry of a list is named in the positions of a report. */
const ENTRY = /([A-Za-z]+)\[\d+\]$/;
