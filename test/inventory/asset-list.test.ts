import { randomUUID } from 'node:crypto';
import { EXPOSURE_LEVELS, PROVIDERS, SEVERITIES, type Severity } from '../../schema/model.js';
import { permissionsOf, type Permission, ROLES } from '../../schema/permissions.js';
import { systemClock } from '../../kit/base/clock.js';
import { createLogger } from '../../kit/base/logger.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { createEngineContext } from '../../kit/engine/create-context.js';
import type { SeenAsset } from '../../kit/engine/ingest-input.js';
import { CLOSABLE } from '../../kit/findings/lifecycle.js';
import { enginesOf, READERS } from '../../kit/findings/readers.js';
import { findings, type FindingRow } from '../../kit/findings/row.js';
import { FindingService } from '../../kit/findings/service.js';
import { migrate, migrationRows } from '../../kit/store/migration.js';
import { importContext } from '../../processes/import-report.js';
import { assetsListed } from '../../processes/migrations/asset-list.js';
import { assetCounters } from '../../subgraphs/di/counters.js';
import type { AssetFilter } from '../../subgraphs/di/list/filter.js';
import { listAssets } from '../../subgraphs/di/list/list.js';
import { assetTexts } from '../../subgraphs/di/list/texts.js';
import { markGone } from '../../subgraphs/di/presence/gone.js';
import { assetRowId, assets, goneAssets, type AssetRow } from '../../subgraphs/di/records.js';
import { exposureOf, openFindingsOf, riskOf } from '../../subgraphs/di/risk/shown.js';
import { placeUnplaced, unplacedFindings } from '../../subgraphs/di/risk/unplaced.js';
import { pick, random } from '../contract/list-model.js';
import { Release } from '../projections/release.js';

const next = random(31);
const ENGINES = ['check', 'iam', 'vulnerability', 'container-security'];
let release: Release;
let tenantId: string;
beforeAll(async () => {
  release = await Release.open(`list_${randomUUID().slice(0, 8)}`);
});
beforeEach(async () => {
  tenantId = await release.tenant();
});
afterAll(async () => {
  await release.database.drop();
  await release.close();
});

const services = () => release.opened.services;
const tenant = () => release.database.tenant(tenantId);
const signal = new AbortController().signal;

/** Who asks: as a role, or as a key with these permissions. */
async function as(permissions: readonly Permission[], engine = 'di'): Promise<EngineContext> {
  const auth = await importContext(services(), tenantId);
  return createEngineContext(services(), engine, { ...auth, permissions: [...permissions] }, signal);
}
const CALLERS: Readonly<Record<string, readonly Permission[]>> = {
  analyst: permissionsOf('analyst'),
  viewer: permissionsOf('viewer'),
  'a key for vulnerabilities': ['inventory:read', 'vulnerability:read'],
  'a key for all but networks': permissionsOf('analyst').filter((permission) => permission !== 'network:read'),
  'a key for no findings': ['inventory:read'],
};

const WORDS = ['ledger', 'Öffnung', 'cart.v2', 'a(b)', 'api-gateway', 'x'];
const uidOf = (n: number) => `arn:aws:s3:::${WORDS[n % WORDS.length]}/${n}`;
const seenAsset = (n: number, change: Partial<SeenAsset> = {}): SeenAsset => ({
  ...{ resource_uid: uidOf(n), resource_name: n % 4 === 0 ? `Name of ${n}` : undefined, account_id: pick(next, ['one', 'two']) },
  ...{ provider: PROVIDERS[n % 3]!, region: pick(next, ['eu', 'us']), resource_type: pick(next, ['bucket', 'disk']) },
  tags: n % 2 === 0 ? { team: `t${n % 3}`, env: 'prod' } : {},
  configuration: { n },
  source: { format: n % 6 === 5 ? 'terraform_plan' : 'terraform_state', address: `a.${n}` },
  ...change,
});

let minute = 0;
const run = () => ({ scan_run_id: `run-${minute}`, at: new Date(Date.UTC(2026, 0, 1, 0, minute++)), format: 'scanner' });

/** A run of one engine that finds something on some resources and closes what it does not find any more. */
async function scan(engine: string, resources: readonly number[]): Promise<void> {
  const context = await as(permissionsOf('analyst'), 'scans');
  const store = services().ingest.findings(context, engine);
  const by = run();
  const seen = resources.flatMap((n) =>
    Array.from({ length: 1 + Math.floor(3 * next()) }, (_, rule) =>
      store.prepare(by, {
        ...{
          engine,
          result: 'FAIL',
          rule_id: `rule-${rule}`,
          title: 'A title',
          severity: pick(next, SEVERITIES),
          evidence: {},
          position: '0',
        },
        ...{ resource_uid: uidOf(n), resource_type: 'bucket', provider: PROVIDERS[n % 3]!, region: 'eu', internet_exposed: next() < 0.3 },
        ...(next() < 0.3 && { known_exploited: true }),
      } as never),
    ),
  );
  await store.ingest(by, seen);
  await store.closeUnseen(by, { source: 'scanner', account_id: null, artifact: null });
}

/** A person moves some findings. */
async function triage(engine: string): Promise<void> {
  const facts = services().findingEngines.find((one) => one.engine === engine)!;
  const context = await as(permissionsOf('analyst'), engine);
  const rows = await context.collection(findings).find({}, { limit: 9 });
  for (const { finding_id } of rows)
    await new FindingService(facts, context)
      .setStatus(finding_id, pick(next, ['SUPPRESSED', 'RESOLVED', 'IN_PROGRESS', 'OPEN', 'FALSE_POSITIVE']), null, null)
      .catch(() => undefined);
}

async function expose(resources: readonly number[]): Promise<void> {
  const exposures = new Map(resources.map((n) => [uidOf(n), pick(next, [...EXPOSURE_LEVELS, null])] as const));
  await release.database.transaction((transaction) => services().ingest.exposures(services(), tenantId, exposures, transaction));
}

/** The open findings of every resource, from the findings themselves. */
async function openFindings(): Promise<Map<string, FindingRow[]>> {
  const open = new Map<string, FindingRow[]>();
  for (const engine of ENGINES)
    for (const row of await tenant()
      .engine(engine)
      .collection(findings)
      .find({ status: { $in: CLOSABLE } }))
      open.set(row.resource_uid, [...(open.get(row.resource_uid) ?? []), row]);
  return open;
}

interface Expected {
  row: AssetRow;
  max: number;
  sum: number;
  open: Record<Severity, number> & { total: number };
}

async function model(permissions: readonly Permission[], from: typeof assets): Promise<Expected[]> {
  const open = await openFindings();
  const readable = new Set(
    services()
      .findingEngines.filter(({ permission }) => permissions.includes(permission))
      .map(({ engine }) => engine),
  );
  return (await tenant().collection(from).find({})).map((row) => {
    const own = (open.get(row.resource_uid) ?? []).filter(({ engine }) => readable.has(engine));
    const counts = Object.fromEntries(SEVERITIES.map((severity) => [severity, own.filter((one) => one.severity === severity).length]));
    return {
      row,
      max: Math.max(0, ...own.map(({ risk_score }) => risk_score)),
      sum: own.reduce((sum, { risk_score }) => sum + risk_score, 0),
      open: { ...(counts as Record<Severity, number>), total: own.length },
    };
  });
}

const FILTERS: AssetFilter[] = [
  {},
  { planned: true },
  { planned: false },
  { risk_min: 60 },
  { risk_min: 0 },
  { risk_min: 40, provider: ['aws'] },
  { risk_min: 40, planned: true },
  { owner: ['t0'] },
  { tag: ['team=t2'], risk_min: 30 },
  { environment: ['production'], resource_type: ['bucket'] },
  { q: 'LEDGER' },
  { q: 'of 1' },
  { q: 'öffnung' },
  { q: 'a(b)/', risk_min: 10 },
  { q: 'nowhere at all' },
  { q: 'x' },
];
const EXPOSED: AssetFilter[] = [{ exposure: ['public'] }, { exposure: ['private', 'unknown'], risk_min: 30 }];

const holds =
  ({ planned, risk_min, q, owner, tag, environment, provider, resource_type, exposure }: AssetFilter) =>
  ({ row, max }: Expected): boolean =>
    (planned == null || (row.planned ?? false) === planned) &&
    max >= (risk_min ?? 0) &&
    (!q || [row.resource_uid, row.resource_name ?? ''].some((text) => text.toLowerCase().includes(q.toLowerCase()))) &&
    (!owner || owner.includes(row.owner!)) &&
    (!tag || tag.some((one) => row.tag_keys?.includes(one))) &&
    (!environment || environment.includes(row.environment!)) &&
    (!provider || provider.includes(row.provider)) &&
    (!resource_type || resource_type.includes(row.resource_type)) &&
    (!exposure || exposure.includes(row.exposure!));

const KEYS: Readonly<Record<string, (one: Expected) => (number | string)[]>> = {
  resource_uid: () => [],
  risk: ({ max, sum }) => [max, sum],
  open_findings: ({ open }) => [open.total],
  last_seen_at: ({ row }) => [row.last_seen_at.getTime()],
};
function byKeys(name: string, way: 1 | -1) {
  return (one: Expected, other: Expected): number => {
    const [a, b] = [one, other].map((of) => [...KEYS[name]!(of), of.row.resource_uid]);
    const at = a!.findIndex((value, n) => value !== b![n]);
    return at === -1 ? 0 : a![at]! < b![at]! ? -way : way;
  };
}

/** Holds every list of a caller against what the findings and the assets say. */
async function compare(caller: string, size = 7, gone = false): Promise<void> {
  const permissions = CALLERS[caller]!;
  const context = await as(permissions);
  const all = await model(permissions, gone ? (goneAssets as unknown as typeof assets) : assets);
  const filters = permissions.includes('network:read') ? [...FILTERS, ...EXPOSED] : FILTERS;
  const wrong: unknown[] = [];
  for (const filter of filters) {
    const wanted = all.filter(holds(filter));
    for (const sort of Object.keys(KEYS).flatMap((name) => [name, `-${name}`])) {
      const order = sort.startsWith('-') ? byKeys(sort.slice(1), -1) : byKeys(sort, 1);
      const expected = [...wanted].sort(order).map(({ row }) => row.resource_uid);
      for (const page of [1, 3]) {
        const { items, total } = await listAssets(context, { ...filter, ...(gone && { gone }), sort, page, page_size: size });
        const found = items.map(({ resource_uid }) => resource_uid);
        const part = expected.slice((page - 1) * size, page * size);
        if (total !== expected.length || found.join() !== part.join())
          wrong.push({ filter, sort, page, total, of: expected.length, found, part });
      }
    }
  }
  expect(wrong.slice(0, 2)).toEqual([]);
  for (const { row, max, sum, open } of all) {
    expect(riskOf(context, row)).toEqual({ max, sum });
    expect(openFindingsOf(context, row)).toMatchObject(open);
    expect(exposureOf(context, row)).toBe(permissions.includes('network:read') ? (row.exposure ?? null) : null);
  }
}

const NUMBERS = Array.from({ length: 60 }, (_, n) => n);

async function fill(): Promise<void> {
  await release.take(
    tenantId,
    NUMBERS.map((n) => seenAsset(n)),
  );
  for (const engine of ENGINES)
    await scan(
      engine,
      NUMBERS.filter(() => next() < 0.5),
    );
  await expose(NUMBERS.filter(() => next() < 0.7));
}

it('lists of assets are those of what each caller may read, in every order and under every filter, whatever came and went', async () => {
  await fill();
  for (const caller of Object.keys(CALLERS)) await compare(caller);
  await triage('check');
  await triage('vulnerability');
  await scan(
    'iam',
    NUMBERS.filter(() => next() < 0.3),
  );
  await release.take(
    tenantId,
    NUMBERS.filter((n) => n % 7 === 0).map((n) => seenAsset(n, { resource_name: `Renamed ${n}` })),
  );
  await release.take(tenantId, [seenAsset(5, { source: { format: 'terraform_state', address: 'made' } })]);
  await expose(NUMBERS.filter(() => next() < 0.3));
  for (const caller of ['analyst', 'a key for vulnerabilities']) await compare(caller);
});

it('an unknown order is refused, and so are exposures to who may not read networks', async () => {
  await expect(listAssets(await as(CALLERS['analyst']!), { sort: '-resource_name' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  for (const gone of [false, true])
    await expect(listAssets(await as(CALLERS['a key for all but networks']!), { exposure: ['public'], gone })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
});

it('each role reads the findings of the engines that one of the kept sums is of', () => {
  const facts = services().findingEngines;
  for (const role of ROLES) {
    const own = facts.filter(({ permission }) => permissionsOf(role).includes(permission)).map(({ engine }) => engine);
    expect(READERS.map((reader) => enginesOf(reader, facts))).toContainEqual(own);
  }
  // the first is the widest: what others read is a part of it
  expect(enginesOf(READERS[0], facts)).toHaveLength(facts.length);
});

it('findings that come before their asset count once it is there, and those that move while it is gone do, too', async () => {
  const few = NUMBERS.slice(0, 8);
  await scan('check', few);
  expect(await tenant().collection(unplacedFindings).count({})).toBe(8);
  await release.take(
    tenantId,
    few.map((n) => seenAsset(n)),
  );
  expect(await tenant().collection(unplacedFindings).count({})).toBe(0);
  await compare('analyst', 3);

  const context = await as(permissionsOf('analyst'), 'scans');
  await tenant()
    .collection(assets)
    .updateMany({}, { $set: { estate: 'all', observed_at: new Date(0) } });
  const later = { scan_run_id: 'later', at: new Date(Date.UTC(2027, 0, 1)) };
  await markGone(context, later, 'all', 'all');
  expect(await tenant().collection(goneAssets).count({})).toBe(8);
  await scan('vulnerability', few);
  await triage('check');
  for (const caller of Object.keys(CALLERS)) await compare(caller, 3, true);
  const back = { scan_run_id: 'back', at: new Date(Date.UTC(2028, 0, 1)) };
  await services().ingest.assets(
    context,
    back,
    few.filter((n) => n !== 5).map((n) => seenAsset(n)),
    [],
  );
  await compare('viewer', 3);
  const found = await listAssets(await as(permissionsOf('viewer')), { q: 'ledger' });
  expect(found.total).toBe(2);
});

it('what two runs have brought past each other is put in its place later', async () => {
  await release.take(tenantId, [seenAsset(0)]);
  const [lost, settled] = [seenAsset(0).resource_uid, 'arn:aws:s3:::nobody'];
  await scan('check', [0]);
  // as if the run that made the asset had not seen the findings
  await tenant()
    .collection(assets)
    .updateMany({}, { $unset: { open_findings: '', risk: '' } });
  await tenant()
    .collection(unplacedFindings)
    .insertMany([lost, settled].map((resource_uid) => ({ _id: assetRowId(tenantId, resource_uid), tenant_id: tenantId, resource_uid })));
  await placeUnplaced(services(), tenantId, signal);
  await compare('analyst');
  expect(await tenant().collection(unplacedFindings).count({})).toBe(0);
});

it('the migration lists the assets of the release before', async () => {
  await fill();
  await tenant()
    .collection(assets)
    .updateMany({}, { $unset: { open_findings: '', risk: '', planned: '', exposure: '' } });
  for (const made of [assetTexts, assetCounters])
    await tenant()
      .collection(made as typeof assetTexts)
      .remove({});
  await release.database.system(migrationRows).remove({ _id: assetsListed.name });
  await migrate(release.database, systemClock, createLogger('silent'), [assetsListed]);
  await compare('analyst');
  await compare('viewer');
});
