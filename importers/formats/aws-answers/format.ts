import { answerLists, resourcesOfEntry } from '../../cloud/map.js';
import { assetsOf } from '../../cloud/read.js';
import { isItem } from '../../cloud/value.js';
import { readJson } from '../../readers/json/records.js';
import { readTopLevel } from '../../readers/json/top-level.js';
import type { ImportItem, ImportOptions, ReportFormat, ReportSource } from '../../types.js';

const FORMAT = 'aws_answers';

/**
 * An answer of AWS's interfaces as its command line prints it (`aws ec2 describe-instances`, `aws iam get-account-authorization-details`): each entry of
 * the lists that `importers/cloud/tables/aws.yaml` knows. What no line there knows is a record without an asset. One entry is in memory at a time.
 */
export const format: ReportFormat = {
  name: FORMAT,
  label: "Answers of AWS's interfaces (aws describe-…, list-…, get-account-authorization-details)",
  engines: ['di', 'check', 'iam', 'network-security', 'encryption', 'dbsec', 'datasec'],
  detection:
    'A JSON object whose members are lists that AWS names so, such as `Reservations`, `SecurityGroups`, `UserDetailList`, of objects whose first member has a capital.',
  detect: (head) => {
    const top = readTopLevel(head);
    return [...top].some(([name, value]) => answerLists().includes(name) && /^\[\s*\{\s*"[A-Z]/.test(value));
  },
  read: readAnswers,
};

/** How an entry of a list is named in the positions of a report. */
const ENTRY = /([A-Za-z]+)\[\d+\]$/;

async function* readAnswers(source: ReportSource, options: ImportOptions): AsyncGenerator<ImportItem> {
  const place = { account: options.account_id, region: options.region };
  const cut: ImportItem[] = [];
  const paths = answerLists().map((list) => `${list}[*]`);
  for await (const item of readJson(source, paths)) {
    const { position } = item;
    if (item.kind === 'truncated') cut.push({ kind: 'truncated', position, reason: item.reason });
    else if (item.kind === 'broken') yield { kind: 'broken', position, reason: item.reason };
    else if (item.kind === 'value') {
      if (!isItem(item.value)) {
        yield { kind: 'broken', position, reason: 'the entry is not an object' };
        continue;
      }
      yield { kind: 'record' };
      yield* assetsOf(resourcesOfEntry(ENTRY.exec(position)?.[1] ?? '', item.value, place, position), FORMAT, options);
    }
  }
  yield* cut;
}
