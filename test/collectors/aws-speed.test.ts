import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createAwsCollector } from '../../collectors/aws/collector.js';
import { paced } from '../../collectors/paced.js';
import type { CollectedRecord } from '../../collectors/types.js';
import { systemClock } from '../../kit/base/clock.js';
import { createOutbound, type Outbound } from '../../kit/outbound/outbound.js';
import { Database } from '../../kit/store/database.js';
import { sharedPace } from '../../subgraphs/onboarding/accounts/pace.js';
import { callPaces } from '../../subgraphs/onboarding/accounts/records.js';
import { readAll } from '../importers/read-all.js';
import { ACCOUNT, makeEstate, makeIdentities } from '../support/aws-estate.js';
import { makeMore } from '../support/aws-estate-more.js';
import { motoServer, startMoto, type Moto } from '../support/moto.js';
import { needing } from '../support/shared.js';

// An account of many regions, each of which holds what one region of moto holds, asked at the pace that all workers share. Each call is answered after 50 ms.
// AWS_REGIONS=60 asks for more than 10,000 resources, and AWS_FIGURES names a file that takes a line of it; a few regions are enough from one change to the next.
const HOME = 'eu-west-1';
const LATENCY = 50;
const sides = ['north', 'south', 'east', 'west', 'central', 'northeast', 'southeast'];
const NAMES = ['eu', 'us', 'ap', 'sa', 'ca', 'me', 'af', 'il', 'mx'].flatMap((area) => sides.map((side) => `${area}-${side}-1`));
// where services that are one for all regions are asked, there is more than elsewhere
const REGIONS = [HOME, ...NAMES.filter((name) => name !== HOME && name !== 'us-east-1')].slice(0, Number(process.env['AWS_REGIONS'] ?? 3));
const FIGURES = process.env['AWS_FIGURES'];

const script = motoServer();
const outbound = createOutbound(['127.0.0.0/8']);
let moto: Moto;
let replay: { child: ChildProcess; url: string };
let database: Database;

/** What the stand was asked since the last call of this. */
async function counts(latency = LATENCY) {
  const response = await fetch(`${replay.url}/-/counts?latency=${latency}`);
  return (await response.json()) as { calls: number; unknown: number; atOnce: number; partsAtOnce: number };
}

/** Hosts stand for services, and the stand has 32 of them. */
const hostOf = (name: string): number => 1 + ([...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 32);
/** The way to the stand, whatever host is called. */
const toStand: Outbound = {
  ...outbound,
  assertAllowed: () => undefined,
  fetch: (url, init) =>
    outbound.fetch(
      url.replace(/^https:\/\/([^/]+)/, (_, name: string) => replay.url.replace('127.0.0.1', `127.0.0.${hostOf(name)}`)),
      init,
    ),
};
const connection = {
  method: 'secret',
  values: { access_key_id: 'AKIAOFTHEACCOUNT0000', secret_access_key: 'x' },
  external_id: null,
} as const;

/** Asks for all that there is. @param seen is called for each line that is told */
async function collect(regions: readonly string[], seen: (record: CollectedRecord) => void, endpoint?: string): Promise<void> {
  const pace = sharedPace({ database, storeClock: database.clock }, { tenant_id: randomUUID(), account_id: ACCOUNT, provider: 'aws' });
  const way = endpoint === undefined ? paced(toStand, pace) : outbound;
  const collector = createAwsCollector({ outbound: way, clock: systemClock, identity: null, ...(endpoint && { endpoint, pauses: [1] }) });
  const target = { provider: 'aws' as const, account_id: ACCOUNT, regions, services: [], connection };
  for await (const record of collector.collect!(target, new AbortController().signal)) seen(record);
}
async function assetsOf(regions: readonly string[], endpoint?: string): Promise<string[]> {
  const lines: string[] = [];
  await collect(regions, (record) => lines.push(JSON.stringify(record)), endpoint);
  const { items } = await readAll('cloud_api_responses', lines.join('\n'), { account_id: ACCOUNT });
  // moto's clusters of EMR call themselves those of one region, wherever they are
  const assets = items.flatMap((item) => (item.kind === 'asset' && item.asset.resource_type !== 'aws_emr_cluster' ? [item.asset] : []));
  // where an answer stood is another matter than what it says
  return assets.map(({ position: _position, ...asset }) => JSON.stringify(asset)).sort();
}

/** What is in use of the memory of this process, in mebibytes. */
function inUse(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / 1_048_576;
}

/** Asks for all, and keeps nothing of it. @returns what it took, and the most memory that was in use meanwhile, looked at now and then */
async function measured(regions: readonly string[]) {
  await counts();
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  let [mebibytes, bytes, records] = [0, 0, 0];
  await collect(regions, (record) => {
    if (records++ % 500 === 400) mebibytes = Math.max(mebibytes, inUse());
    bytes += JSON.stringify(record).length;
  });
  const { user, system } = process.cpuUsage(cpu);
  return { seconds: (performance.now() - began) / 1_000, cpu: (user + system) / 1e6, mebibytes, bytes, ...(await counts()) };
}

needing(script).describe('an account of many regions (needs moto of PyPI, skipped where it cannot be had)', () => {
  beforeAll(async () => {
    database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `speed_${randomUUID().slice(0, 8)}`, [callPaces]);
    moto = await startMoto(script!);
    const role = await makeIdentities(moto.url);
    await makeEstate(moto.url, HOME, role);
    await makeMore(moto.url, HOME, role);
    const child = spawn(process.execPath, [join(__dirname, '../support/aws-replay.mjs'), moto.url, HOME], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    replay = { child, url };
    // what it is asked here it knows from then on
    await assetsOf([HOME], replay.url);
    await assetsOf([HOME]);
  });
  afterAll(async () => {
    replay?.child.kill('SIGKILL');
    await moto?.stop();
    await database?.drop();
    await database?.close();
    await outbound.close();
  });

  it('is asked about several services of several regions at the same time', async () => {
    await counts();
    await assetsOf(REGIONS);
    const { unknown, atOnce, partsAtOnce } = await counts();
    expect(unknown).toBe(0);
    expect(partsAtOnce).toBeGreaterThanOrEqual(8);
    // 24 services of regions, four calls each
    expect(atOnce).toBeLessThanOrEqual(96);
  });

  it('is told the same, in whatever order it answers', async () => {
    const told = await assetsOf(REGIONS);
    await counts(0);
    const again = await assetsOf([...REGIONS].reverse());
    await counts();
    expect(again).toEqual(told);
    const regional = told.filter((asset) => asset.includes('"region":"eu-west-1"')).length;
    expect(regional).toBeGreaterThan(100);
    for (const region of REGIONS) expect(told.filter((asset) => asset.includes(`"region":"${region}"`))).toHaveLength(regional);
  });

  needing(FIGURES).it('of more than 10,000 resources is asked in a minute, in the memory that a quarter of it takes', async () => {
    const resources = (await assetsOf([HOME])).filter((asset) => asset.includes(`"region":"${HOME}"`)).length * REGIONS.length;
    const quarter = await measured(REGIONS.slice(0, REGIONS.length / 4));
    const all = await measured(REGIONS);
    appendFileSync(FIGURES!, `${JSON.stringify({ regions: REGIONS.length, resources, quarter, all })}\n`);
    expect(all.unknown).toBe(0);
    expect(resources).toBeGreaterThan(10_000);
    expect(all.mebibytes).toBeLessThan(1.1 * quarter.mebibytes);
    expect(all.seconds).toBeLessThan(60);
  });
});
