import { bufferSource, findImporter, type AssetInput } from '../../importers/index.js';

const PROVIDER = 'registry.terraform.io/hashicorp/aws';

async function assetOf(after: object, after_unknown: object, expressions: object): Promise<AssetInput> {
  const plan = {
    format_version: '1.2',
    terraform_version: '1.9.0',
    resource_changes: [
      {
        address: 'aws_db_instance.main',
        mode: 'managed',
        type: 'aws_db_instance',
        name: 'main',
        provider_name: PROVIDER,
        change: { actions: ['create'], before: null, after, after_unknown },
      },
    ],
    configuration: {
      root_module: {
        resources: [{ address: 'aws_db_instance.main', mode: 'managed', type: 'aws_db_instance', name: 'main', expressions }],
      },
    },
  };
  for await (const item of findImporter('terraform_plan')!.read(bufferSource(Buffer.from(JSON.stringify(plan))), {}))
    if (item.kind === 'asset') return item.asset;
  throw new Error('the plan gave no asset');
}

describe('a value that the plan does not know yet', () => {
  it('stands as the reference to the resource that sets it', async () => {
    const asset = await assetOf({}, { kms_key_id: true }, { kms_key_id: { references: ['aws_kms_key.main.arn', 'aws_kms_key.main'] } });
    expect(asset.configuration['kms_key_id']).toBe('${aws_kms_key.main.arn}');
    expect(asset.unknown_paths).toBeUndefined();
  });

  it('is not there when nothing in the configuration sets it: the provider chooses', async () => {
    const asset = await assetOf({}, { kms_key_id: true, arn: true }, { engine: { constant_value: 'mysql' } });
    expect(asset.configuration).not.toHaveProperty('kms_key_id');
    expect(asset.unknown_paths).toBeUndefined();
  });

  it('stays unknown when only a variable sets it, because that may be null', async () => {
    const asset = await assetOf({}, { kms_key_id: true }, { kms_key_id: { references: ['var.key'] } });
    expect(asset.configuration).not.toHaveProperty('kms_key_id');
    expect(asset.unknown_paths).toEqual(['kms_key_id']);
  });

  it('is found in the block that it stands in', async () => {
    const after = { restore: [{ bucket: 'b' }] };
    const asset = await assetOf(
      after,
      { restore: [{ role: true }] },
      { restore: [{ bucket: {}, role: { references: ['data.aws_iam_role.r.arn'] } }] },
    );
    expect(asset.configuration['restore']).toEqual([{ bucket: 'b', role: '${data.aws_iam_role.r.arn}' }]);
  });
});
