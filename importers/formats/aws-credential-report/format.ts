import { importRecords } from '../../normalize/record-items.js';
import { findCsvHeader } from '../../readers/csv/header.js';
import { readCsv, type CsvRules } from '../../readers/csv/records.js';
import type { JsonObject } from '../../readers/json/fields.js';
import { terraformAsset } from '../../terraform/asset.js';
import type { ImportItem, ImportOptions, ReportFormat } from '../../types.js';
import { userOf } from './user.js';

const FORMAT = 'aws_credential_report';
/** A file may begin with an empty line that holds a byte order mark. */
const RULES: CsvRules = {
  columns: ['user', 'arn', 'user_creation_time', 'password_enabled', 'mfa_active', 'access_key_1_active'],
  preamble: 1,
};

/** What a report of credentials does not tell of a user: all that is not shown, and its boundary, without which its rights cannot be told. */
const OPEN = [['*'], ['permissions_boundary']];

/** The credential report of an AWS account: its users and its root user, with the state and the last use of their passwords and keys. */
export const format: ReportFormat = {
  name: FORMAT,
  label: 'AWS IAM credential report',
  engines: ['di', 'iam'],
  detection: 'A CSV report with the columns user, arn, user_creation_time, password_enabled, mfa_active and access_key_1_active.',
  produce:
    'aws iam generate-credential-report && aws iam get-credential-report --query Content --output text | base64 -d > credentials.csv',
  detect: (head) => findCsvHeader(head, RULES) !== undefined,
  read: (source, options) => importRecords(readCsv(source, RULES), (row, { position }) => [assetOf(row, position, options)]),
};

function assetOf(row: JsonObject, position: string, options: ImportOptions): ImportItem {
  const { name, account, values } = userOf(row);
  const type = 'aws_iam_user';
  const instance = { address: `${type}.${name}`, type, name, values, unknown: OPEN, sensitive: [], position };
  return { kind: 'asset', asset: terraformAsset(instance, 'aws', FORMAT, options, { account }) };
}
