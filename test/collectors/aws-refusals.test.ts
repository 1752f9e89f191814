import { setTimeout as sleep } from 'node:timers/promises';
import { askGroup } from '../../collectors/aws/group.js';
import { Patience } from '../../collectors/patience.js';
import { KMS } from '../../collectors/aws/services/keys.js';
import { readAll } from '../importers/read-all.js';
import { json, refusal, type Reply, type StubCall } from '../support/aws-stub.js';
import { ACCOUNT, collect, keyed, notAnswered, outbound, type Told } from './aws-stubbed.js';

afterAll(() => outbound.close());

describe('a denied call', () => {
  it('is told with the permission that is missing, and the rest goes on', async () => {
    const { records } = await collect((call) => (call.what === 'GetKeyPolicy' ? refusal('AccessDeniedException') : keyed(call)));
    expect(notAnswered(records)).toEqual([
      {
        ...{ source: 'aws kms get-key-policy --key-id k1', region: 'eu-west-1' },
        not_answered: 'The permission kms:GetKeyPolicy is missing: AWS answered AccessDeniedException',
      },
    ]);
    expect(records.map(({ source }) => source.split(' ')[2])).toEqual(
      expect.arrayContaining(['describe-key', 'get-key-rotation-status', 'list-resource-tags', 'list-keys']),
    );
    const lines = records.map((record) => JSON.stringify(record)).join('\n');
    const { items } = await readAll('cloud_api_responses', lines, { account_id: ACCOUNT });
    expect(items.filter(({ kind }) => kind === 'unanswered')).toHaveLength(1);
    const [key] = items.flatMap((item) => (item.kind === 'asset' ? [item.asset] : []));
    expect(key).toMatchObject({ resource_type: 'aws_kms_key', configuration: { enable_key_rotation: true, tags: { team: 'money' } } });
  });

  it('keeps its own service of its own region from being told whole, and no other', async () => {
    const denied = (call: StubCall): Reply =>
      call.what === 'ListKeys' && call.region === 'us-east-1'
        ? refusal('AccessDeniedException')
        : call.what === 'ListQueues'
          ? json({ QueueUrls: [] })
          : keyed(call);
    const { whole } = await collect(denied, { regions: ['eu-west-1', 'us-east-1'], services: ['kms', 'sqs'] });
    expect([...whole].sort()).toEqual(['kms eu-west-1', 'sqs eu-west-1', 'sqs us-east-1']);
  });

  it('of all calls is a record each, and no error', async () => {
    const { records } = await collect(() => undefined, { services: ['kms', 'sqs', 'secretsmanager'] });
    const missing = records.map((record) => 'not_answered' in record && record.not_answered.split(' ')[2]);
    expect(missing.sort()).toEqual(['kms:ListKeys', 'secretsmanager:ListSecrets', 'sqs:ListQueues']);
  });
});

describe('a throttled call', () => {
  it.each([
    ['ThrottlingException', 400],
    ['InternalFailure', 500],
    ['TooManyRequests', 429],
  ])('is made again: %s', async (code, status) => {
    let left = 1;
    const { records, stub } = await collect((call) => (call.what === 'ListKeys' && left-- > 0 ? refusal(code, status) : keyed(call)));
    expect([notAnswered(records), stub.asked('ListKeys').length]).toEqual([[], 2]);
  });

  it('is made again for as long as the service lets others through now and then', async () => {
    let left = 30;
    const { records, stub } = await collect((call) =>
      call.what === 'ListKeys' && left-- > 0 ? refusal('ThrottlingException') : keyed(call),
    );
    expect([notAnswered(records), stub.asked('ListKeys').length]).toEqual([[], 31]);
  });

  it('is given up when nothing of its service was let through for so long, told as throttled, and the rest goes on', async () => {
    const { records, whole, stub } = await collect(
      (call) =>
        call.what === 'ListKeys' ? refusal('ThrottlingException') : call.what === 'ListQueues' ? json({ QueueUrls: [] }) : undefined,
      { services: ['kms', 'sqs'] },
      { patienceMs: 600 },
    );
    expect(stub.asked('ListKeys').length).toBeGreaterThan(4);
    expect(notAnswered(records)).toEqual([
      {
        ...{ source: 'aws kms list-keys', region: 'eu-west-1' },
        not_answered: 'Calls are throttled: none was let through for 0.6 seconds (ThrottlingException)',
      },
    ]);
    expect(whole).toEqual(['sqs eu-west-1']);
  });

  it('is given up after four tries where the service fails', async () => {
    const { records, stub } = await collect((call) => (call.what === 'ListKeys' ? refusal('InternalFailure', 500) : undefined));
    expect(stub.asked('ListKeys')).toHaveLength(4);
    expect(records).toMatchObject([{ source: 'aws kms list-keys', not_answered: 'AWS answered InternalFailure' }]);
  });
});

describe('pages', () => {
  const pages =
    (next: (marker: string | undefined) => string | undefined) =>
    (call: StubCall): Reply => {
      if (call.what !== 'ListKeys') return undefined;
      const { Marker } = JSON.parse(call.body) as { Marker?: string };
      return json({ Keys: [], NextMarker: next(Marker) });
    };

  it('follow each other, a record each', async () => {
    const { records } = await collect(pages((marker) => (marker === undefined ? 'second' : marker === 'second' ? 'third' : undefined)));
    expect(records).toEqual(
      ['second', 'third', undefined].map((NextMarker) => ({
        ...{ source: 'aws kms list-keys', region: 'eu-west-1' },
        response: { Keys: [], ...(NextMarker && { NextMarker }) },
      })),
    );
  });

  it('that repeat their token come to an end that is told', async () => {
    const { records, stub } = await collect(pages(() => 'again'));
    expect(stub.asked('ListKeys')).toHaveLength(2);
    expect(notAnswered(records)).toMatchObject([{ not_answered: expect.stringContaining('does not come to an end') as string }]);
  });

  it('with a new token for ever come to an end that is told', async () => {
    let asked = 0;
    const client = { send: async () => ({ NextMarker: String(asked++) }), destroy: () => undefined };
    const asking = {
      group: KMS,
      client,
      commands: { ListKeysCommand: Object },
      region: 'eu-west-1',
      place: {},
      isReached: async () => true,
      tries: { patience: new Patience() },
      stop: () => undefined,
    };
    const records: Told[] = [];
    for await (const record of askGroup({ ...asking, signal: new AbortController().signal })) records.push(record);
    expect(asked).toBe(2_000);
    expect(notAnswered(records)).toMatchObject([{ not_answered: expect.stringContaining('does not come to an end') as string }]);
  });
});

describe('a run', () => {
  const hanging = (call: StubCall): Reply => (call.what === 'GetKeyPolicy' ? 'silence' : keyed(call));

  it('that is aborted ends with the reason while a call is on its way', async () => {
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const began = Date.now();
    void sleep(700).then(() => controller.abort(reason));
    await expect(collect(hanging, {}, { signal: controller.signal })).rejects.toBe(reason);
    expect(Date.now() - began).toBeLessThan(20_000);
  });

  it('that nobody listens to any more ends, too', async () => {
    const began = Date.now();
    // the call that hangs was made before this one
    const { stub } = await collect(hanging, {}, { onRecord: ({ source }) => !source.includes('list-resource-tags') });
    expect([stub.asked('GetKeyPolicy').length, Date.now() - began < 20_000]).toEqual([1, true]);
  });
});
