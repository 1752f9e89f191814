import { bufferSource } from '../../importers/readers/source.js';
import { format as terraformPlan } from '../../importers/formats/terraform-plan/format.js';
import { format as terraformState } from '../../importers/formats/terraform-state/format.js';
import { format as tfstate } from '../../importers/formats/tfstate/format.js';
import {
  NotOfFormat,
  type AssetInput,
  type EdgeInput,
  type ImportItem,
  type ImportOptions,
  type ReportFormat,
} from '../../importers/types.js';
import { REDACTED, findSecretPaths } from '../../redaction/secret-keys.js';

const IMPORTERS = [terraformPlan, terraformState, tfstate];

async function readAll(importer: ReportFormat, report: unknown, options: ImportOptions = {}): Promise<ImportItem[]> {
  const items: ImportItem[] = [];
  const text = typeof report === 'string' ? report : JSON.stringify(report);
  for await (const item of importer.read(bufferSource(Buffer.from(text)), options)) items.push(item);
  return items;
}
const assetsOf = (items: ImportItem[]): AssetInput[] => items.flatMap((item) => (item.kind === 'asset' ? [item.asset] : []));
const edgesOf = (items: ImportItem[]): EdgeInput[] => items.flatMap((item) => (item.kind === 'edge' ? [item.edge] : []));
const count = (items: ImportItem[], kind: ImportItem['kind']): number => items.filter((item) => item.kind === kind).length;

const change = (address: string, change: object, more: object = {}): object => {
  const [type = '', name = ''] = address
    .replace(/^(?:module\.[^.]+\.)+/, '')
    .replace(/\[.*$/, '')
    .split('.');
  return { address, mode: 'managed', type, name, provider_name: 'registry.terraform.io/hashicorp/aws', change, ...more };
};
const created = (after: object, more: object = {}): object => ({
  actions: ['create'],
  before: null,
  after,
  after_unknown: { id: true },
  after_sensitive: {},
  ...more,
});

const PLAN = {
  format_version: '1.2',
  terraform_version: '1.9.0',
  planned_values: { root_module: {} },
  resource_changes: [
    change('aws_kms_key.main', created({ enable_key_rotation: true, tags: { Name: 'main key', Team: 'a' } })),
    change(
      'aws_db_instance.db',
      created(
        { identifier: 'orders', password: 'hunter2', master_note: 'hidden', storage_encrypted: true, tags: null },
        { after_sensitive: { master_note: true }, after_unknown: { id: true, address: true } },
      ),
    ),
    change('module.logs["eu"].aws_s3_bucket.this[0]', created({ bucket: 'logs-eu' })),
    change('module.logs["us"].aws_s3_bucket.this[0]', created({ bucket: 'logs-us' })),
    change('module.logs["eu"].aws_s3_bucket_policy.this[0]', created({ policy: '{"Statement":[]}' })),
    change('aws_iam_role.old', { actions: ['delete'], before: { id: 'old' }, after: null, after_unknown: {} }),
    change('aws_vpc.kept', {
      actions: ['no-op'],
      before: { id: 'vpc-1', arn: 'arn:aws:ec2:eu-west-1:123456789012:vpc/vpc-1' },
      after: { id: 'vpc-1', arn: 'arn:aws:ec2:eu-west-1:123456789012:vpc/vpc-1' },
      after_unknown: {},
    }),
    change('random_password.db', created({ length: 20 })),
    { ...change('data.aws_caller_identity.me', created({})), mode: 'data', type: 'aws_caller_identity' },
    { address: 'aws_sqs_queue.broken', mode: 'managed', type: 'aws_sqs_queue', name: 'broken' },
  ],
  configuration: {
    provider_config: { aws: { name: 'aws', expressions: { region: { constant_value: 'eu-west-1' } } } },
    root_module: {
      resources: [
        { address: 'aws_kms_key.main', mode: 'managed', type: 'aws_kms_key', name: 'main', provider_config_key: 'aws', expressions: {} },
        {
          address: 'aws_db_instance.db',
          provider_config_key: 'aws',
          expressions: {
            kms_key_id: { references: ['data.aws_kms_alias.a.target_key_arn', 'data.aws_kms_alias.a'] },
            vpc: { references: ['module.logs'] },
          },
          depends_on: ['aws_vpc.kept'],
        },
        { address: 'data.aws_kms_alias.a', expressions: { name: { references: ['aws_kms_key.main.key_id', 'aws_kms_key.main'] } } },
      ],
      module_calls: {
        logs: {
          expressions: { key: { references: ['aws_kms_key.main.arn', 'aws_kms_key.main'] } },
          module: {
            outputs: { id: { expression: { references: ['aws_s3_bucket.this[0].id', 'aws_s3_bucket.this[0]', 'aws_s3_bucket.this'] } } },
            resources: [
              { address: 'aws_s3_bucket.this', provider_config_key: 'aws', expressions: { kms: { references: ['var.key'] } } },
              {
                address: 'aws_s3_bucket_policy.this',
                expressions: { bucket: { references: ['aws_s3_bucket.this[0].id', 'aws_s3_bucket.this[0]', 'aws_s3_bucket.this'] } },
              },
            ],
          },
        },
      },
    },
  },
};

describe('a plan', () => {
  it('gives one record a change, and an asset for what exists afterwards', async () => {
    const items = await readAll(terraformPlan, PLAN);
    expect(count(items, 'record')).toBe(9);
    expect(items.filter(({ kind }) => kind === 'broken')).toEqual([
      { kind: 'broken', position: 'resource_changes[9] (aws_sqs_queue.broken)', reason: 'the resource has no change' },
    ]);
    expect(assetsOf(items).map(({ source }) => source.address)).toEqual([
      'aws_kms_key.main',
      'aws_db_instance.db',
      'module.logs["eu"].aws_s3_bucket.this[0]',
      'module.logs["us"].aws_s3_bucket.this[0]',
      'module.logs["eu"].aws_s3_bucket_policy.this[0]',
      'aws_vpc.kept',
    ]);
  });

  it('fills region, name, tags, unknown and sensitive paths, and redacts', async () => {
    const [key, db, bucket] = assetsOf(await readAll(terraformPlan, PLAN, { account_id: '111122223333' }));
    expect(key).toMatchObject({
      resource_name: 'main key',
      region: 'eu-west-1',
      account_id: '111122223333',
      provider: 'aws',
      tags: { Name: 'main key', Team: 'a' },
    });
    expect(db).toMatchObject({
      resource_uid: 'terraform:111122223333/aws_db_instance.db',
      resource_name: 'orders',
      configuration: { password: REDACTED, master_note: REDACTED, storage_encrypted: true },
      sensitive_paths: ['master_note'],
    });
    // what nothing in the configuration sets is the provider's to choose
    expect(db).not.toHaveProperty('unknown_paths');
    expect(bucket?.provider_metadata).toMatchObject({ module: 'module.logs["eu"]', terraform_name: 'this' });
  });

  it('uses the real id of a resource that stays', async () => {
    expect(assetsOf(await readAll(terraformPlan, PLAN)).at(-1)).toMatchObject({
      resource_uid: 'arn:aws:ec2:eu-west-1:123456789012:vpc/vpc-1',
      account_id: '123456789012',
    });
  });

  it('draws references through variables, data sources and module instances', async () => {
    const uid = (address: string): string => `terraform:${address}`;
    expect(edgesOf(await readAll(terraformPlan, PLAN))).toEqual([
      { from: uid('aws_db_instance.db'), to: uid('aws_kms_key.main'), kind: 'refers_to', via: 'kms_key_id' },
      { from: uid('aws_db_instance.db'), to: 'arn:aws:ec2:eu-west-1:123456789012:vpc/vpc-1', kind: 'refers_to' },
      { from: uid('module.logs["eu"].aws_s3_bucket.this[0]'), to: uid('aws_kms_key.main'), kind: 'refers_to', via: 'kms' },
      { from: uid('module.logs["us"].aws_s3_bucket.this[0]'), to: uid('aws_kms_key.main'), kind: 'refers_to', via: 'kms' },
      {
        from: uid('module.logs["eu"].aws_s3_bucket_policy.this[0]'),
        to: uid('module.logs["eu"].aws_s3_bucket.this[0]'),
        kind: 'refers_to',
        via: 'bucket',
      },
    ]);
  });

  it('without changes is read from its planned values, with nested modules and ${...} references', async () => {
    const resource = (address: string, values: object): object => ({ ...change(address, {}), change: undefined, values });
    const plan = {
      format_version: '1.2',
      terraform_version: 'derived',
      planned_values: {
        root_module: {
          resources: [resource('azurerm_storage_account.a', { location: 'West Europe', name: 'acc' })],
          child_modules: [
            {
              child_modules: [
                {
                  resources: [resource('module.m.module.n.azurerm_storage_container.c', { account: '${azurerm_storage_account.a.name}' })],
                },
              ],
            },
          ],
        },
      },
    };
    const items = await readAll(terraformPlan, plan, { artifact: 'infra.git' });
    expect(assetsOf(items).map(({ resource_uid, region, provider }) => [resource_uid, region, provider])).toEqual([
      ['terraform:infra.git/azurerm_storage_account.a', 'westeurope', 'azure'],
      ['terraform:infra.git/module.m.module.n.azurerm_storage_container.c', 'global', 'azure'],
    ]);
    expect(assetsOf(items)[1]?.configuration).toEqual({ account: '${azurerm_storage_account.a.name}' });
    expect(edgesOf(items)).toHaveLength(0);
    const local = structuredClone(plan);
    local.planned_values.root_module.resources.push(
      resource('azurerm_storage_container.d', { account: '${azurerm_storage_account.a.name}' }),
    );
    expect(edgesOf(await readAll(terraformPlan, local))).toHaveLength(1);
  });

  it('that is cut keeps what was read, and says so once', async () => {
    const text = JSON.stringify(PLAN);
    const cut = text.slice(0, text.indexOf('aws_iam_role.old'));
    const items = await readAll(terraformPlan, cut);
    expect(count(items, 'asset')).toBe(5);
    expect(count(items, 'truncated')).toBe(1);
    expect(items.at(-1)?.kind).toBe('truncated');
  });

  it('with a garbled record loses that record only', async () => {
    const text = JSON.stringify(PLAN).replace('"identifier":"orders"', '"identifier":orders');
    const items = await readAll(terraformPlan, text);
    expect(count(items, 'broken')).toBe(2);
    expect(count(items, 'asset')).toBe(5);
  });

  it('that is another JSON report is not of the format', async () => {
    await expect(readAll(terraformPlan, { Results: [] })).rejects.toThrow(NotOfFormat);
    await expect(readAll(terraformState, { Results: [] })).rejects.toThrow(NotOfFormat);
    await expect(readAll(tfstate, { Results: [] })).rejects.toThrow(NotOfFormat);
    await expect(readAll(terraformPlan, 'hello')).rejects.toThrow(NotOfFormat);
  });
});

const SHOWN = {
  format_version: '1.0',
  terraform_version: '1.9.0',
  values: {
    root_module: {
      resources: [
        { address: 'google_compute_network.n', mode: 'managed', type: 'google_compute_network', name: 'n', values: { id: 'projects/p-1/global/networks/n', name: 'n', project: 'p-1' }, sensitive_values: {} },
        {
          address: 'google_sql_database_instance.db["a"]', mode: 'managed', type: 'google_sql_database_instance', name: 'db', index: 'a',
          values: { id: 'db-a', region: 'europe-west1', root_password: 'hunter2', settings: [{ x: 'deep' }], labels: { env: 'prod' } },
          sensitive_values: { settings: [{ x: true }] }, depends_on: ['google_compute_network.n'],
        },
      ],
    },
  },
}; // prettier-ignore

describe('a shown state', () => {
  it('gives assets with real ids, the account that the others name, edges and redaction', async () => {
    const items = await readAll(terraformState, SHOWN);
    expect(assetsOf(items)).toMatchObject([
      { resource_uid: 'projects/p-1/global/networks/n', account_id: 'p-1', region: 'global' },
      {
        resource_uid: 'gcp:p-1:europe-west1:google_sql_database_instance/db-a',
        account_id: 'p-1',
        configuration: { root_password: REDACTED, settings: [{ x: REDACTED }] },
        sensitive_paths: ['settings[0].x'],
        tags: { env: 'prod' },
      },
    ]);
    expect(edgesOf(items)).toEqual([
      { from: 'gcp:p-1:europe-west1:google_sql_database_instance/db-a', to: 'projects/p-1/global/networks/n', kind: 'refers_to' },
    ]);
  });
});

const RAW = {
  version: 4,
  terraform_version: '1.9.0',
  serial: 3,
  lineage: 'a-b',
  outputs: {},
  resources: [
    {
      mode: 'managed', type: 'aws_sns_topic', name: 't', provider: 'provider["registry.terraform.io/hashicorp/aws"]',
      instances: [{ attributes: { arn: 'arn:aws:sns:eu-west-1:123456789012:t', id: 'arn:aws:sns:eu-west-1:123456789012:t', name: 't' } }],
    },
    {
      mode: 'managed', type: 'aws_sns_topic_policy', name: 't', instances: [
        { attributes: { arn: 'arn:aws:sns:eu-west-1:123456789012:t', id: 'arn:aws:sns:eu-west-1:123456789012:t' }, dependencies: ['aws_sns_topic.t', 'data.aws_iam_policy_document.d'] },
      ],
    },
    {
      module: 'module.users', mode: 'managed', type: 'aws_iam_access_key', name: 'k', instances: [
        { index_key: 0, attributes: { id: 'AKIAIOSFODNN7EXAMPLE', secret: 'hunter2', status: 'Active', nested: [{ v: 's3cr' }] }, sensitive_attributes: [[{ type: 'get_attr', value: 'nested' }, { type: 'index', value: { value: 0, type: 'number' } }, { type: 'get_attr', value: 'v' }]] },
        { index_key: 'b', attributes: { id: 'AKIAIOSFODNN7EXAMPLF', status: 'Active' } },
        { index_key: 'c' },
      ],
    },
    { mode: 'data', type: 'aws_iam_policy_document', name: 'd', instances: [{ attributes: { json: '{}' } }] },
    { mode: 'managed', type: 'null_resource', name: 'n', instances: [{ attributes: { id: '1' } }] },
  ],
}; // prettier-ignore

describe('a raw state', () => {
  it('gives an asset an instance, each with a uid of its own that is no secret', async () => {
    const items = await readAll(tfstate, RAW);
    expect(count(items, 'record')).toBe(6);
    expect(items.filter(({ kind }) => kind === 'broken')).toMatchObject([
      { position: 'resources[2].instances[2] (module.users.aws_iam_access_key.k["c"])' },
    ]);
    const assets = assetsOf(items);
    expect(assets.map(({ source }) => source.address)).toEqual([
      'aws_sns_topic.t',
      'aws_sns_topic_policy.t',
      'module.users.aws_iam_access_key.k[0]',
      'module.users.aws_iam_access_key.k["b"]',
    ]);
    expect(new Set(assets.map(({ resource_uid }) => resource_uid)).size).toBe(4);
    expect(assets[1]?.resource_uid).toBe('arn:aws:sns:eu-west-1:123456789012:t#aws_sns_topic_policy');
    expect(assets[2]).toMatchObject({
      account_id: '123456789012',
      configuration: { secret: REDACTED, status: 'Active', nested: [{ v: REDACTED }] },
      sensitive_paths: ['nested[0].v'],
    });
    expect(edgesOf(items)).toEqual([{ from: assets[1]?.resource_uid, to: assets[0]?.resource_uid, kind: 'refers_to' }]);
    expect(items.flatMap((item) => findSecretPaths(item))).toEqual([]);
  });

  it('of version 3 is refused with the way out', async () => {
    const old = { version: 3, terraform_version: '0.11.14', serial: 1, lineage: 'x', modules: [] };
    expect(tfstate.detect(JSON.stringify(old))).toBe(true);
    await expect(readAll(tfstate, old)).rejects.toThrow(/version 3; version 4 is read/);
  });

  it('that is cut keeps what was read', async () => {
    const text = JSON.stringify(RAW);
    const items = await readAll(tfstate, text.slice(0, text.indexOf('"module.users"')));
    expect(assetsOf(items)).toHaveLength(2);
    expect(count(items, 'truncated')).toBe(1);
  });
});

describe('detection', () => {
  it('tells the three apart', () => {
    const answers = (report: unknown): boolean[] => IMPORTERS.map((importer) => importer.detect(JSON.stringify(report, null, 2)));
    expect(answers(PLAN)).toEqual([true, false, false]);
    expect(answers(SHOWN)).toEqual([false, true, false]);
    expect(answers(RAW)).toEqual([false, false, true]);
    expect(answers({ configuration: PLAN.configuration })).toEqual([true, false, false]);
    for (const other of [
      { version: '2.1.0', runs: [] },
      { version: 4 },
      { values: {} },
      { format_version: '1' },
      [],
      { planned_values: {} },
      { results: { configuration: {} } },
    ]) {
      expect(answers(other)).toEqual([false, false, false]);
    }
  });

  it('answers for a head cut at any byte and never changes to another format', () => {
    for (const [own, report] of [PLAN, SHOWN, RAW].entries()) {
      const text = JSON.stringify(report);
      for (let end = 0; end <= text.length; end += 7) {
        const claims = IMPORTERS.map((importer) => importer.detect(text.slice(0, end)));
        expect(claims.filter((claim, i) => claim && i !== own)).toEqual([]);
      }
    }
  });
});

it('reading twice gives the same items', async () => {
  for (const [importer, report] of [
    [terraformPlan, PLAN],
    [terraformState, SHOWN],
    [tfstate, RAW],
  ] as const) {
    expect(await readAll(importer, report)).toEqual(await readAll(importer, report));
  }
});
