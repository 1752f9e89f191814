import { openWorld, type Client, type World } from '../support/world.js';

const ACCOUNT = '111122223333';
const NOON = Math.floor(Date.now() / 86_400_000 - 2) * 86_400_000 + 43_200_000;

let world: World;
let client: Client;
beforeAll(async () => {
  world = await openWorld();
  client = await (await world.tenant()).as('tenant_admin');
});
afterAll(() => world.close());

const call = (eventID: string, seconds: number, own: object = {}) => ({
  ...{ eventVersion: '1.09', eventID, eventTime: new Date(NOON + seconds * 1_000).toISOString(), awsRegion: 'eu-central-1' },
  ...{ eventSource: 'ec2.amazonaws.com', eventName: 'RunInstances', requestParameters: {}, recipientAccountId: ACCOUNT },
  ...{ sourceIPAddress: '203.0.113.7', userIdentity: { type: 'IAMUser', arn: `arn:aws:iam::${ACCOUNT}:user/eve`, accountId: ACCOUNT } },
  ...own,
});

it('takes what is right of a bad log, and says what is wrong of the rest, record by record', async () => {
  const secret = 'hunter2-correct-horse-battery';
  const big = 'x'.repeat(300_000);
  const Records = [
    call('late', 600),
    call('early', 0),
    call('early', 0),
    call('to-come', 30 * 86_400),
    call('foreign', 60, { recipientAccountId: '999988887777' }),
    call('large', 120, { requestParameters: { description: big } }),
    call('secret', 180, {
      eventSource: 'rds.amazonaws.com',
      eventName: 'CreateDBInstance',
      requestParameters: { masterUserPassword: secret },
    }),
    'no record',
  ];
  const run = await client.import({ Records }, { account_id: ACCOUNT });
  expect(run.state).toBe('PARTIAL');
  expect(run.errors.map(({ position, reason }) => `${position}: ${reason}`).sort()).toEqual([
    expect.stringMatching(/^Records\[3\]: the event is of .*, which is still to come$/),
    `Records[4]: the event is of the account 999988887777, and the import names ${ACCOUNT}`,
    expect.stringMatching(/^Records\[7\]: /),
  ]);
  expect(run.counts.skipped).toBe(3);

  const { body, text } = await client.call<{ items: { event_id: string; record: Record<string, unknown> }[]; total: number }>(
    '/api/v1/cdr/events?page_size=50',
  );
  // in the order of time, each once
  expect([body.total, body.items.map(({ event_id }) => event_id)]).toEqual([5 - 1, ['late', 'secret', 'large', 'early']]);
  expect(text).not.toContain(secret);
  const uid = (body.items[2] as unknown as { event_uid: string }).event_uid;
  const large = await client.call<{ record: { record_cut: boolean } }>(`/api/v1/cdr/events/${uid}`);
  expect([large.body.record.record_cut, large.text.length < 10_000, large.text.includes(secret)]).toEqual([true, true, false]);
});
