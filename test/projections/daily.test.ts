import { randomUUID } from 'node:crypto';
import { findings } from '../../kit/findings/row.js';
import { deriveDaily } from '../../subgraphs/scans/daily.js';
import { assetOf, Release } from './release.js';

const DAY = 86_400_000;
const START = Date.parse('2026-03-01T00:00:00Z');

it('time alone makes findings: a certificate expires without a new report', async () => {
  let now = START;
  const one = await Release.open(`daily_${randomUUID().slice(0, 8)}`, undefined, { now: () => new Date(now) });
  try {
    const [tenant, other] = [await one.tenant(), await one.tenant()];
    const not_after = new Date(START + 60 * DAY).toISOString();
    await one.take(tenant, [
      assetOf('aws_acm_certificate', 'arn:aws:acm:eu-west-1:111122223333:certificate/c', { domain_name: 'c.example', not_after }),
    ]);
    const after = async (days: number, of = tenant): Promise<string[]> => {
      now = START + days * DAY;
      await deriveDaily(one.opened.services, new AbortController().signal);
      const rows = await one.database
        .tenant(of)
        .engine('encryption')
        .collection(findings)
        .find({}, { sort: { rule_id: 1 } });
      return rows.map(({ rule_id, status }) => `${rule_id} ${status}`);
    };
    expect(await after(1)).toEqual([]);
    expect(await after(40)).toEqual(['palisade-certificate-expires-soon OPEN']);
    expect(await after(41)).toEqual(['palisade-certificate-expires-soon OPEN']);
    expect(await after(61)).toEqual(['palisade-certificate-expired OPEN', 'palisade-certificate-expires-soon RESOLVED']);
    expect(await after(62, other)).toEqual([]);
  } finally {
    await one.database.drop();
    await one.close();
  }
});
