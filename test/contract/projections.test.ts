import { isDeepStrictEqual } from 'node:util';
import { assetRetention } from '../../subgraphs/di/retention.js';
import { assets } from '../../subgraphs/di/records.js';
import { TYPE_PREFIXES } from '../../catalog/resource-name.js';
import { fixedClock } from '../../kit/base/clock.js';
import type { SeenAsset } from '../../kit/engine/ingest-input.js';
import { applyRule } from '../../kit/engine/retention.js';
import type { FieldValue, ProjectionField, ProjectionSample } from '../../kit/projections/facet.js';
import type { Projection } from '../../kit/projections/rows.js';
import { PROVIDERS, type Provider } from '../../schema/model.js';
import { engines } from '../../subgraphs/index.js';
import { Release } from '../projections/release.js';
import { openWorld, type Client, type World } from '../support/world.js';

// Every projection that an engine declares keeps these promises: a new one edits nothing here.

type Item = Record<string, string | number | boolean | null> & { resource_uid: string; resource_type: string };
interface Page {
  items: Item[];
  total: number;
  has_more: boolean;
}

const projections = engines.flatMap((engine) =>
  engine.projections.map((projection) => [projection.name, projection as Projection] as const),
);

let world: World;
let release: Release;
beforeAll(async () => {
  world = await openWorld();
  release = await Release.open(process.env['PALISADE_TEST_DB']!);
});
afterAll(async () => {
  await release.close();
  await world.close();
});

const TERRAFORM: Readonly<Record<Provider, string>> = {
  aws: 'hashicorp/aws',
  azure: 'hashicorp/azurerm',
  gcp: 'hashicorp/google',
  oci: 'oracle/oci',
  alicloud: 'aliyun/alicloud',
  ibm: 'ibm-cloud/ibm',
  k8s: 'hashicorp/kubernetes',
};
const account_id = '111122223333';
const isOfTerraform = ({ provider, resource_type }: ProjectionSample) => resource_type.startsWith(TYPE_PREFIXES[provider]);

/** A Terraform state of the samples, each a resource of its own. */
const stateOf = (samples: readonly ProjectionSample[]) => ({
  version: 4,
  terraform_version: '1.9.0',
  serial: 1,
  lineage: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  resources: samples.map(({ provider, resource_type, configuration }, n) => ({
    mode: 'managed',
    type: resource_type,
    name: `sample_${n}`,
    provider: `provider["registry.terraform.io/${TERRAFORM[provider]}"]`,
    instances: [{ attributes: configuration }],
  })),
});
const uidOf = ({ resource_uid }: ProjectionSample, n: number) => resource_uid ?? `sample:${n}`;
const assetOf = (sample: ProjectionSample, n: number): SeenAsset => ({
  ...{ resource_uid: uidOf(sample, n), resource_name: `sample ${n}`, account_id, region: 'global' },
  ...{ provider: sample.provider, resource_type: sample.resource_type, configuration: { ...sample.configuration } },
});

const plain = (value: FieldValue): Item[string] => (value instanceof Date ? value.toISOString() : value);
/** The fields that a configuration gives, as the list shows them. */
function fieldsOf({ definition: { facet } }: Projection, sample: ProjectionSample): Record<string, Item[string]> {
  const { configuration, ...asset } = assetOf(sample, 0);
  const told = facet.evaluate({
    ...{ _id: '', first_seen_at: new Date(), last_seen_at: new Date(), unknown_paths: [], sensitive_paths: [] },
    ...(asset as Required<typeof asset>),
    ...{ resource_name: null, account_id: null, configuration, planned: false },
  });
  return Object.fromEntries(Object.entries(told).map(([name, value]) => [name, plain(value)]));
}

const OF_EVERY_ASSET = [
  ...['resource_uid', 'resource_type', 'resource_name', 'provider', 'account_id', 'region', 'first_seen_at', 'last_seen_at'],
  ...['planned', 'open_findings', 'exposure', 'data_classes'],
];
const byUid = (one: Item, other: Item) => (one.resource_uid < other.resource_uid ? -1 : 1);

describe.each(projections)('the projection %s', (_, projection) => {
  const { definition } = projection;
  const { facet } = definition;
  const fields = Object.entries(facet.fields);
  const links = [facet.links ?? {}, definition.computed ?? {}].flatMap(Object.keys);
  const samples = facet.samples;
  let client: Client;
  let stranger: Client;
  let all: Item[];

  const list = async (query = '', by = client): Promise<Page> => {
    const { status, body, text } = await by.call<Page>(`/api/v1${definition.path}?${query}`);
    if (status !== 200) throw new Error(`${query}: ${status} ${text}`);
    return body;
  };
  async function pages(query: string, size: number): Promise<Item[]> {
    const items: Item[] = [];
    for (let page = 1; ; page++) {
      const answer = await list(`${query}&page=${page}&page_size=${size}`);
      items.push(...answer.items);
      const left = answer.total - (page - 1) * size;
      expect([answer.items.length, answer.has_more]).toEqual([Math.min(left, size), left > size]);
      if (!answer.has_more) return items;
    }
  }

  beforeAll(async () => {
    const tenant = await world.tenant();
    client = await tenant.as('tenant_admin');
    stranger = await (await world.tenant()).as('tenant_admin');
    const run = await client.import(stateOf(samples.filter(isOfTerraform)), { account_id, artifact: 'state' });
    expect(run).toMatchObject({ state: 'COMPLETED' });
    await release.take(tenant.tenant._id, samples.filter((sample) => !isOfTerraform(sample)).map(assetOf));
    all = (await pages('', 200)).sort(byUid);
  });

  it('has a sample for each type that it covers, and one that sets each field', () => {
    expect(new Set(samples.map(({ resource_type }) => resource_type))).toEqual(facet.types);
    const set = samples.map((sample) => fieldsOf(projection, sample));
    expect(fields.map(([name]) => name).filter((name) => set.every((one) => one[name] === null))).toEqual([]);
  });

  it('makes exactly one row of each sample that is imported, with exactly its fields', () => {
    const found = (items: readonly Record<string, unknown>[]) => items.map((item) => JSON.stringify(item)).sort();
    const shown = ['resource_type', 'provider', 'account_id', ...fields.map(([name]) => name)];
    const rows = all.map((item) => Object.fromEntries(Object.entries(item).filter(([name]) => shown.includes(name))));
    const expected = samples.map((sample) => {
      const { provider, resource_type } = sample;
      return { resource_type, provider, account_id, ...fieldsOf(projection, sample) };
    });
    expect(found(rows)).toEqual(found(expected.map((row) => ordered(row, rows[0]!))));
    for (const item of all) expect(Object.keys(item).sort()).toEqual([...OF_EVERY_ASSET, ...links, ...fields.map(([name]) => name)].sort());
  });

  it('follows a configuration that changes, and loses the rows of assets that are gone', async () => {
    const tenant = await world.tenant();
    const [tenantId, reader] = [tenant.tenant._id, await tenant.as('tenant_admin')];
    const seen = samples.map(assetOf);
    const rows = async () => {
      const items: Item[] = [];
      for (let page = 1; items.length === (page - 1) * 200; page++) items.push(...(await list(`page_size=200&page=${page}`, reader)).items);
      return new Map(items.map((item) => [item.resource_uid, Object.fromEntries(fields.map(([name]) => [name, item[name]]))]));
    };
    const expected = (change: (sample: ProjectionSample) => ProjectionSample) =>
      new Map(samples.map((sample, n) => [uidOf(sample, n), fieldsOf(projection, change(sample))]));
    const without = (sample: ProjectionSample): ProjectionSample => ({ ...sample, configuration: {} });

    await release.take(tenantId, seen);
    const before = await rows();
    expect(before).toEqual(expected((sample) => sample));
    await release.take(tenantId, samples.map(without).map(assetOf));
    const changed = await rows();
    expect(changed).toEqual(expected(without));
    // some are told by their identifiers alone
    const isConfigured = samples.some(({ configuration }) => Object.keys(configuration).length > 0);
    expect(isDeepStrictEqual(changed, before)).toBe(!isConfigured);

    // what had been one of its types is none any more
    await release.take(
      tenantId,
      seen.map((asset) => ({ ...asset, resource_type: 'something_else' })),
    );
    expect((await rows()).size).toBe(0);
    await release.take(tenantId, seen);
    expect(await rows()).toEqual(before);

    const later = { ...release.opened.services, clock: fixedClock(new Date(Date.now() + 5 * 86_400_000).toISOString()) };
    const settings = { discovery_retention_days: 1 };
    await applyRule(later, assetRetention, { tenant_id: tenantId, settings }, new AbortController().signal);
    expect(await release.database.tenant(tenantId).collection(assets).count({})).toBe(0);
    expect((await rows()).size).toBe(0);
  });

  it('is filtered by each filter alone, by a value that rows have and by one that none has', async () => {
    const wrong: unknown[] = [];
    const asked = async (query: Record<string, string>, holds: (item: Item) => boolean) => {
      const found = (await pages(new URLSearchParams(query).toString(), 200)).sort(byUid);
      const expected = all.filter(holds);
      if (JSON.stringify(found) !== JSON.stringify(expected)) wrong.push({ query, found: found.length, expected: expected.length });
      return found.length;
    };
    const common = ['provider', 'account_id', 'region', 'resource_type', 'resource_uid'].map((name) => [name, 'text'] as const);
    const own = fields.flatMap(([name, { type, filter }]) => (filter ? [[name, type] as const] : []));
    for (const [name, type] of [...common, ...own]) {
      // a comma parts the values of a query
      const value = all.map((item) => item[name]).find((one) => one !== null && !String(one).includes(','));
      expect({ name, value }).not.toEqual({ name, value: undefined });
      for (const [query, holds] of cases(name, type, value!, facet.fields[name])) await asked(query, holds);
      const [query, holds] = cases(name, type, value!, facet.fields[name])[0]!;
      expect({ query, found: await asked(query, holds) }).not.toMatchObject({ found: 0 });
    }
    const { resource_uid } = all[0]!;
    await asked({ q: resource_uid.toUpperCase() }, (item) =>
      [item.resource_uid, item['resource_name']].some((name) =>
        String(name ?? '')
          .toLowerCase()
          .includes(resource_uid.toLowerCase()),
      ),
    );
    await asked({ q: `${resource_uid}~` }, () => false);
    await asked({ planned: 'false' }, () => true);
    await asked({ planned: 'true' }, () => false);
    expect(wrong).toEqual([]);
  });

  it('is sorted in a total order, both ways, page by page', async () => {
    const own = fields.flatMap(([name, { sort }]) => (sort ? [name] : []));
    for (const name of ['resource_uid', 'resource_name', 'first_seen_at', 'last_seen_at', ...own]) {
      const up = await pages(`sort=${name}`, 37);
      expect({ name, rows: [...up].sort(byUid) }).toEqual({ name, rows: all });
      const down = await pages(`sort=-${name}`, 41);
      expect({ name, order: down.map(({ resource_uid }) => resource_uid).reverse() }).toEqual({
        name,
        order: up.map(({ resource_uid }) => resource_uid),
      });
      const misplaced = up.filter((item, n) => n > 0 && precedes(item, up[n - 1]!, name));
      expect({ name, misplaced }).toEqual({ name, misplaced: [] });
    }
    expect(await list(`page=9999`)).toMatchObject({ items: [], total: samples.length, has_more: false });
  });

  it('shows nothing of it to another tenant, whatever it asks', async () => {
    const { resource_uid, resource_type } = all[0]!;
    const answers = ['', new URLSearchParams({ resource_uid }).toString(), new URLSearchParams({ resource_type }).toString()];
    for (const query of answers) expect(await list(query, stranger)).toMatchObject({ items: [], total: 0, has_more: false });
  });
});

/** A row with its keys in the order of another. */
const ordered = (row: Record<string, unknown>, like: object) => Object.fromEntries(Object.keys(like).map((name) => [name, row[name]]));

const rank = (value: Item[string] | undefined) => (value === null || value === undefined ? 0 : 1);
/** Whether an item comes before another in an ascending list: null first, then by value, then by identifier. */
function precedes(one: Item, other: Item, name: string): boolean {
  const [a, b] = [one[name], other[name]];
  if (rank(a) !== rank(b)) return rank(a) < rank(b);
  return a === b ? one.resource_uid < other.resource_uid : a! < b!;
}

type Case = readonly [query: Record<string, string>, holds: (item: Item) => boolean];

/** Queries of one filter with the rows that they select: the first finds rows that have `value`, the others do not. */
function cases(name: string, type: ProjectionField['type'], value: string | number | boolean, field: ProjectionField | undefined): Case[] {
  const equal = (other: string): Case => [{ [name]: other }, (item) => item[name] === other];
  switch (type) {
    case 'boolean':
      return [value, !value].map((one) => [{ [name]: String(one) }, (item) => item[name] === one]);
    case 'integer': {
      const at = Number(value);
      return [at, at + 1, at - 1].flatMap((bound): Case[] => [
        [{ [`${name}_min`]: String(bound) }, (item) => item[name] !== null && Number(item[name]) >= bound],
        [{ [`${name}_max`]: String(bound) }, (item) => item[name] !== null && Number(item[name]) <= bound],
      ]);
    }
    case 'moment': {
      const moment = (by: number) => new Date(Date.parse(String(value)) + by).toISOString();
      return [moment(-1), moment(0), moment(1)].flatMap((bound): Case[] => [
        [{ [`${name}_after`]: bound }, (item) => item[name] !== null && String(item[name]) > bound],
        [{ [`${name}_before`]: bound }, (item) => item[name] !== null && String(item[name]) < bound],
      ]);
    }
    case 'enum':
      return [value as string, ...Object.keys(field!.values!).filter((one) => one !== value)].map(equal);
    default:
      if (name === 'provider') return [value as string, ...PROVIDERS.filter((one) => one !== value)].map(equal);
      return [equal(value as string), equal(`${String(value)}~`)];
  }
}
