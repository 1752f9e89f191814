import { bufferSource } from '../../importers/readers/source.js';
import { format as terraformPlan } from '../../importers/formats/terraform-plan/format.js';
import type { AssetInput } from '../../importers/types.js';
import { REDACTED } from '../../redaction/secret-keys.js';

const planOf = (resources: readonly { type: string; name: string; values: object }[]): string =>
  JSON.stringify({
    format_version: '1.2',
    terraform_version: '1.9.0',
    resource_changes: resources.map(({ type, name, values }) => ({
      address: `${type}.${name}`,
      mode: 'managed',
      type,
      name,
      change: { actions: ['create'], before: null, after: values, after_unknown: { object: true }, after_sensitive: {} },
    })),
  });

async function assetsOf(type: string, values: object): Promise<AssetInput[]> {
  const assets: AssetInput[] = [];
  const plan = planOf([{ type, name: 'held', values }]);
  for await (const item of terraformPlan.read(bufferSource(Buffer.from(plan)), {})) if (item.kind === 'asset') assets.push(item.asset);
  return assets;
}

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', labels: { team: 'a' } },
  spec: { template: { spec: { containers: [{ name: 'web', image: 'web:1', securityContext: { privileged: true } }] } } },
};

describe('a resource of Terraform that holds an object of a cluster', () => {
  it('is the object that it holds, at its own address', async () => {
    const [asset] = await assetsOf('kubernetes_manifest', { manifest: DEPLOYMENT, field_manager: [] });
    expect(asset).toMatchObject({
      resource_type: 'kubernetes_deployment',
      resource_name: 'web',
      provider: 'k8s',
      tags: { team: 'a' },
      configuration: DEPLOYMENT,
      source: { address: 'kubernetes_manifest.held' },
    });
  });

  it('may hold it as YAML', async () => {
    const yaml = 'apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata:\n  name: hello\nspec:\n  template: {}\n';
    expect(await assetsOf('kubectl_manifest', { yaml_body: yaml })).toMatchObject([
      { resource_type: 'kubernetes_knative_service', resource_name: 'hello', configuration: { kind: 'Service', spec: { template: {} } } },
    ]);
  });

  it('shows no value of a Secret', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { token: 'plain-as-day' } };
    const [asset] = await assetsOf('kubernetes_manifest', { manifest: secret });
    expect(asset!.configuration).toMatchObject({ stringData: { token: REDACTED } });
    expect(JSON.stringify(asset)).not.toContain('plain-as-day');
  });

  it('stays what it is where the object is not known, or is none', async () => {
    for (const values of [{}, { manifest: null }, { yaml_body: ': [' }, { yaml_body: '${file("a.yaml")}' }, { manifest: { kind: 'Pod' } }])
      expect(await assetsOf('kubernetes_manifest', values)).toMatchObject([{ resource_type: 'kubernetes_manifest' }]);
  });
});
