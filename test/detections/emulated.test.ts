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
import { trail } from './records.js';

const LOGS: readonly [format: string, emulated: readonly Emulated[]][] = [
  ['cloudtrail', [...AWS, ...AWS_OTHERS]],
  ['gcp_audit', [...GCP, ...GCP_OTHERS]],
  ['azure_audit', AZURE],
  ['kubernetes_audit', [...KUBERNETES, ...KUBERNETES_OTHERS]],
  ['oci_audit', [...OCI, ...OCI_OTHERS]],
  ['alicloud_actiontrail', [...ALICLOUD, ...ALICLOUD_OTHERS]],
];

/** What of some emulations no finding has the technique of. */
async function missedOf(
  format: string,
  emulated: readonly Emulated[],
  played: (text: string) => string = (text) => text,
): Promise<string[]> {
  const rules = loadDetections();
  const missed: string[] = [];
  for (const [name, techniques, records] of emulated) {
    const isLines = format === 'kubernetes_audit';
    const text = isLines ? (records as object[]).map((one) => JSON.stringify(one)).join('\n') : JSON.stringify(records);
    const findings = await findingsOf(await eventsIn(format, Buffer.from(played(text))));
    const seen = findings.flatMap((key) => rules.all.get(key.split(' ', 1)[0]!)!.techniques);
    if (!seen.some((technique) => techniques.includes(technique))) missed.push(name);
  }
  return missed;
}

it.each(LOGS)('sees in %s what emulations of attacks play, each by its technique', async (format, emulated) => {
  expect(await missedOf(format, emulated)).toEqual([]);
});

/** A person who came in by the identity center, in place of a user. */
const SSO = 'AWSReservedSSO_Admin_0123456789abcdef';
const asPerson = (text: string): string => {
  const user = JSON.stringify((trail('s3', 'x', {}) as { Records: [{ userIdentity: object }] }).Records[0].userIdentity);
  const role = `arn:aws:iam::111122223333:role/aws-reserved/sso.amazonaws.com/${SSO}`;
  const session = { type: 'AssumedRole', arn: `arn:aws:sts::111122223333:assumed-role/${SSO}/eve`, accountId: '111122223333' };
  return text.replaceAll(
    user,
    JSON.stringify({ ...session, sessionContext: { sessionIssuer: { type: 'Role', arn: role, userName: SSO } } }),
  );
};
/** The identity center asks for the second factor, and the console says of a role that there was none. */
const OF_USERS = ['console-login-without-mfa'];

it('sees in cloudtrail what emulations of attacks play when a person of the identity center plays them', async () => {
  expect(await missedOf('cloudtrail', [...AWS, ...AWS_OTHERS], asPerson)).toEqual(OF_USERS);
});
