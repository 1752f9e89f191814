import { createAwsCollector } from '../../collectors/aws/collector.js';
import type { CollectedRecord, NotAnswered, RecordedAnswer, Skipped, Target } from '../../collectors/types.js';
import { systemClock } from '../../kit/base/clock.js';
import { createOutbound } from '../../kit/outbound/outbound.js';
import { awsStub, json, type Reply, type StubCall, type StubKey } from '../support/aws-stub.js';

export const ACCOUNT = '123456789012';
export const OURS: StubKey = { access_key_id: 'AKIAOURS000000000000', secret_access_key: 'a secret of ours' };
export const THEIRS: StubKey = { access_key_id: 'AKIATHEIRS0000000000', secret_access_key: 'a secret of theirs' };
export const TAKEN: StubKey = {
  access_key_id: 'ASIATAKEN00000000000',
  secret_access_key: 'a taken secret',
  session_token: 'a taken token',
};
export const bySecret: Target['connection'] = { method: 'secret', values: { ...THEIRS } as Record<string, string>, external_id: null };
export const target = (more: Partial<Target> = {}): Target => ({
  ...{ provider: 'aws', account_id: ACCOUNT, regions: ['eu-west-1'], services: ['kms'], connection: bySecret },
  ...more,
});

export const outbound = createOutbound(['127.0.0.1/32']);

export type Told = RecordedAnswer | NotAnswered | Skipped;
/** What is told, without the names of the parts that it is told in, and the parts that are told whole. */
export async function inParts(told: AsyncIterable<CollectedRecord>, onRecord = (_record: Told): boolean => true) {
  const records: Told[] = [];
  let whole: readonly string[] = [];
  for await (const record of told) {
    if ('whole' in record) whole = record.whole;
    else {
      const { part: _part, ...rest } = record;
      records.push(rest);
      if (!onRecord(rest)) break;
    }
  }
  return { records, whole };
}

/** Collects from a stub. @param onRecord is told of each record; where it answers false nobody listens any more */
export async function collect(
  answer: (call: StubCall) => Reply,
  more: Partial<Target> = {},
  { signal = new AbortController().signal, onRecord = (_record: Told): boolean => true, patienceMs = 60_000 } = {},
) {
  const stub = await awsStub(ACCOUNT, [OURS, THEIRS, TAKEN], answer);
  const collector = createAwsCollector({
    outbound,
    clock: systemClock,
    identity: OURS,
    endpoint: stub.url,
    pauses: [20, 20, 20],
    patienceMs,
  });
  try {
    return { ...(await inParts(collector.collect!(target(more), signal), onRecord)), stub };
  } finally {
    await stub.close();
  }
}
export const notAnswered = (records: readonly Told[]): Told[] => records.filter((record) => 'not_answered' in record);

const ARN = `arn:aws:kms:eu-west-1:${ACCOUNT}:key/k1`;
/** An account with one key. */
export const keyed = ({ what }: StubCall): Reply => {
  if (what === 'ListKeys') return json({ Keys: [{ KeyId: 'k1', KeyArn: ARN }], Truncated: false });
  if (what === 'DescribeKey') return json({ KeyMetadata: { KeyId: 'k1', Arn: ARN, KeyManager: 'CUSTOMER', CreationDate: 1.5 } });
  if (what === 'GetKeyPolicy') return json({ Policy: '{"Statement":[]}' });
  if (what === 'GetKeyRotationStatus') return json({ KeyRotationEnabled: true });
  return what === 'ListResourceTags' ? json({ Tags: [{ TagKey: 'team', TagValue: 'money' }] }) : undefined;
};
