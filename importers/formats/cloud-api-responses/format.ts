import { once } from '../../cloud/once.js';
import { eachRecord, readRecords } from '../../cloud/records.js';
import { readTopLevel } from '../../readers/json/top-level.js';
import { KubernetesEdges } from '../kubernetes/edges.js';
import type { ImportItem, ImportOptions, ReportFormat, ReportSource } from '../../types.js';
import { RecordedAnswers } from './recorded.js';

const FORMAT = 'cloud_api_responses';

/**
 * Recorded answers of cloud interfaces, a line each (`{"source": "…", "response": {…}}`, with the `region` where that matters): of AWS, of Azure's Resource Manager, of Microsoft Graph, of Google
 * Cloud and of Kubernetes; of Oracle Cloud Infrastructure, Alibaba Cloud and IBM Cloud where `source` names the call (`ibm/is/list-vpcs`). The report is read twice: calls about one thing (`get-bucket-policy`) complete what lists tell, wherever they stand. Answers of other
 * interfaces are records without an asset; what a collector says was `not_answered` makes the report incomplete, what it `skipped` does not. It names
 * the `part` of the account that an answer is of, and at the end which parts are told `whole`.
 */
export const format: ReportFormat = {
  name: FORMAT,
  label: 'Recorded answers of cloud interfaces (JSON lines)',
  engines: ['di', 'check', 'iam', 'network-security', 'encryption', 'dbsec', 'datasec', 'container-security', 'ai-security'],
  inventory: true,
  detection:
    'JSON lines, each an object with a text `source` and a `response`, or the `error` that came instead, or why it was `not_answered`.',
  produce: `jq -c '{source: "ec2.json", response: .}' ec2.json > answers.jsonl`,
  detect: (head) => {
    const top = readTopLevel(head);
    return (
      top.get('source')?.startsWith('"') === true &&
      (/^[{[]/.test(top.get('response') ?? '') || /^["{]/.test(top.get('error') ?? '') || top.has('not_answered') || top.has('skipped'))
    );
  },
  read: readAnswers,
};

async function* readAnswers(source: ReportSource, options: ImportOptions): AsyncGenerator<ImportItem> {
  const answers = new RecordedAnswers(FORMAT, options, new KubernetesEdges());
  await eachRecord(source, ['$'], (record, at) => answers.note(record, at));
  if (answers.listed.size > 0) yield { kind: 'listed', types: [...answers.listed] };
  const told = new Set<string>();
  yield* once(
    readRecords(source, ['$'], (record, at) => answers.assetsOf(record, at)),
    told,
  );
  yield* once(answers.rest(), told);
}
