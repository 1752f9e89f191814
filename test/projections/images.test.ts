import { trivy } from '../support/reports.js';
import { openWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

it('the images that scanners report are listed, each once, by what their names say', async () => {
  const client = await (await world.tenant()).as('tenant_admin');
  const image = '111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/cart:1.4';
  await client.import(trivy(image, [{ id: 'CVE-2024-0001', pkg: 'openssl', cvss: 9.8 }]));
  await client.import(trivy(image, [{ id: 'CVE-2024-0002', pkg: 'zlib', cvss: 5 }]));
  await client.import(trivy('nginx', [{ id: 'CVE-2024-0001', pkg: 'openssl', cvss: 9.8 }]));
  const list = async (query: string) =>
    (await client.call<{ items: unknown[]; total: number }>(`/api/v1/container-security/images?${query}`)).body;
  const cart = {
    resource_uid: image,
    provider: 'aws',
    registry: '111122223333.dkr.ecr.eu-west-1.amazonaws.com',
    repository: 'shop/cart',
    tag: '1.4',
    image_digest: null,
  };
  expect(await list('')).toMatchObject({
    items: [cart, { resource_uid: 'nginx', registry: 'docker.io', repository: 'library/nginx', tag: 'latest', image_digest: null }],
    total: 2,
  });
  expect(await list('repository=shop/cart')).toMatchObject({ items: [cart], total: 1 });
  expect(await list('registry=ghcr.io')).toMatchObject({ items: [], total: 0 });
});

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;
const LABELS = {
  'org.opencontainers.image.base.name': 'docker.io/library/debian:12',
  'org.opencontainers.image.source': 'https://git.example.com/shop/cart.git',
};

it('what Trivy and Grype have found in an image is told with it, and which workloads run it, whoever has named it how', async () => {
  const client = await (await world.tenant()).as('tenant_admin');
  const scanned = trivy('ghcr.io/shop/cart:1.4', []) as { Metadata: object; Results: object[] };
  scanned.Metadata = {
    ...scanned.Metadata,
    RepoDigests: [`ghcr.io/shop/cart@${DIGEST}`],
    ImageConfig: { created: '2026-03-01T10:00:00Z', config: { Labels: LABELS } },
  };
  scanned.Results = [{ ...scanned.Results[0], Packages: [{ Name: 'zlib1g' }, { Name: 'openssl' }] }];
  await client.import(scanned);
  await client.import({
    matches: [],
    source: { type: 'image', target: { userInput: 'nginx', repoDigests: [], config: 'no base64 of anything', labels: {} } },
    distro: { name: 'alpine', version: '3.20' },
    descriptor: { name: 'grype', version: '0.90.0' },
  });
  const workload = (kind: string, name: string, image: string) => ({
    ...{ apiVersion: 'apps/v1', kind, metadata: { name, namespace: 'shop' } },
    spec: { template: { metadata: {}, spec: { containers: [{ name: 'main', image }] } } },
  });
  const items = [
    workload('Deployment', 'cart', 'ghcr.io/shop/cart:1.4'),
    workload('StatefulSet', 'pinned', `mirror.example.com/cart@${DIGEST}`),
    workload('DaemonSet', 'web', 'docker.io/library/nginx:latest'),
    workload('Deployment', 'other', 'ghcr.io/shop/other:1'),
  ];
  expect(await client.import({ apiVersion: 'v1', kind: 'List', items }, { artifact: 'main' })).toMatchObject({ state: 'COMPLETED' });
  const { body } = await client.call<{ items: unknown[] }>('/api/v1/container-security/images');
  expect(body.items).toMatchObject([
    {
      ...{ resource_uid: 'ghcr.io/shop/cart:1.4', kind: 'container', registry: 'ghcr.io', tag: '1.4', image_digest: DIGEST },
      ...{ base: 'docker.io/library/debian:12', system: 'debian 12.1', packages: 2, made_at: '2026-03-01T10:00:00.000Z' },
      running: { total: 2, items: ['main/shop/Deployment/cart', 'main/shop/StatefulSet/pinned'] },
    },
    { resource_uid: 'nginx', system: 'alpine 3.20', packages: null, base: null, running: { total: 1, items: ['main/shop/DaemonSet/web'] } },
  ]);
  const built = await client.call<{ edges: unknown[] }>(
    `/api/v1/inventory/asset/${encodeURIComponent('ghcr.io/shop/cart:1.4')}/relationships?kind=built_from`,
  );
  expect(built.body.edges).toMatchObject([{ from: 'ghcr.io/shop/cart:1.4', to: 'https://git.example.com/shop/cart' }]);
});
