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
