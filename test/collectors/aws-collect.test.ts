import { createAwsCollector } from '../../collectors/aws/collector.js';
import type { NotAnswered, RecordedAnswer, Target } from '../../collectors/types.js';
import { systemClock } from '../../kit/base/clock.js';
import { createOutbound } from '../../kit/outbound/outbound.js';
import { readAll } from '../importers/read-all.js';
import { ACCOUNT, makeEstate, makeIdentities } from '../support/aws-estate.js';
import { motoServer, startMoto, type Moto } from '../support/moto.js';
import { needing } from '../support/shared.js';

const script = motoServer();
const REGIONS = ['eu-west-1', 'us-east-1'];
const target: Target = {
  ...{ provider: 'aws', account_id: ACCOUNT, regions: REGIONS, services: [] },
  connection: {
    method: 'secret',
    values: { access_key_id: 'AKIAOFTHEACCOUNT0000', secret_access_key: 'only for this' },
    external_id: null,
  },
};

type Record = RecordedAnswer | NotAnswered;
const outbound = createOutbound(['127.0.0.1/32']);
let moto: Moto;
async function collect(more: Partial<Target> = {}): Promise<Record[]> {
  const collector = createAwsCollector({ outbound, clock: systemClock, identity: null, endpoint: moto.url });
  const records: Record[] = [];
  for await (const record of collector.collect!({ ...target, ...more }, new AbortController().signal)) records.push(record);
  return records;
}

needing(script).describe('an account (needs moto of PyPI, skipped where it cannot be had)', () => {
  let records: Record[];
  beforeAll(async () => {
    moto = await startMoto(script!);
    const role = await makeIdentities(moto.url);
    for (const region of REGIONS) await makeEstate(moto.url, region, role);
    const began = Date.now();
    records = await collect();
    console.log('seconds', (Date.now() - began) / 1000, 'records', records.length);
  });
  afterAll(async () => {
    await moto?.stop();
    await outbound.close();
  });

  it('dev', async () => {
    console.log(
      JSON.stringify(
        records.filter((record) => 'not_answered' in record),
        null,
        1,
      ),
    );
    const lines = records.map((record) => JSON.stringify(record)).join('\n');
    require('fs').writeFileSync('/tmp/awsc/records.jsonl', lines);
    const { items } = await readAll('cloud_api_responses', lines, { account_id: ACCOUNT });
    const count: { [type: string]: number } = {};
    for (const item of items) if (item.kind === 'asset') count[item.asset.resource_type] = (count[item.asset.resource_type] ?? 0) + 1;
    console.log(count);
  });
});
