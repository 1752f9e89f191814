import { loadDetections } from '../../catalog/detections/rule-set.js';
import { ALICLOUD } from './emulated-alicloud.js';
import { AWS } from './emulated-aws.js';
import { AWS_OTHERS } from './emulated-aws-others.js';
import { AZURE } from './emulated-azure.js';
import { GCP } from './emulated-gcp.js';
import { KUBERNETES } from './emulated-kubernetes.js';
import { OCI } from './emulated-oci.js';
import { ALICLOUD_OTHERS, GCP_OTHERS, KUBERNETES_OTHERS, OCI_OTHERS } from './emulated-others.js';
import type { Emulated } from './emulated.js';
import { eventsIn, findingsOf } from './findings-of.js';

const LOGS: readonly [format: string, emulated: readonly Emulated[]][] = [
  ['cloudtrail', [...AWS, ...AWS_OTHERS]],
  ['gcp_audit', [...GCP, ...GCP_OTHERS]],
  ['azure_audit', AZURE],
  ['kubernetes_audit', [...KUBERNETES, ...KUBERNETES_OTHERS]],
  ['oci_audit', [...OCI, ...OCI_OTHERS]],
  ['alicloud_actiontrail', [...ALICLOUD, ...ALICLOUD_OTHERS]],
];

it.each(LOGS)('sees in %s what emulations of attacks play, each by its technique', async (format, emulated) => {
  const rules = loadDetections();
  const missed: string[] = [];
  for (const [name, techniques, records] of emulated) {
    const isLines = format === 'kubernetes_audit';
    const text = isLines ? (records as object[]).map((one) => JSON.stringify(one)).join('\n') : JSON.stringify(records);
    const found = [...new Set((await findingsOf(await eventsIn(format, Buffer.from(text)))).map((key) => key.split(' ', 1)[0]!))];
    const seen = found.flatMap((rule_id) => rules.all.get(rule_id)!.techniques);
    if (!seen.some((technique) => techniques.includes(technique))) missed.push(`${name}: ${found.join()} ${seen.join()}`);
  }
  expect(missed).toEqual([]);
});
