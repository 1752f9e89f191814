import { loadCatalog } from '../../catalog/catalog.js';
import { AZURE_CALLS } from '../../collectors/azure/calls.js';
import { createAzureCollector } from '../../collectors/azure/collector.js';
import { listsOf } from '../../collectors/azure/diagnosed.js';
import { AZURE_SERVICES } from '../../collectors/azure/services.js';
import { ConnectionRefused, type Connection, type Target } from '../../collectors/types.js';
import { cloudTable } from '../../importers/cloud/table.js';
import { fixedClock } from '../../kit/base/clock.js';
import { createOutbound } from '../../kit/outbound/outbound.js';
import { CLIENT, DIRECTORY, failure, idOf, openAzureStand, row, SECRET, SUBSCRIPTION, type AzureWorld } from './azure-stand.js';
import { readRecorded, recordedOf } from './recorded.js';

const outbound = createOutbound(['127.0.0.0/8']);
const clock = fixedClock('2026-03-01T12:00:00.000Z');
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const stand of open.splice(0)) await stand.close();
});
afterAll(() => outbound.close());

const bySecret = (client_secret = SECRET): Connection => ({
  method: 'secret',
  values: { directory_id: DIRECTORY, client_id: CLIENT, client_secret },
  external_id: null,
});
const target = (more: Partial<Target> = {}): Target => ({
  ...{ provider: 'azure', account_id: SUBSCRIPTION, regions: [], services: [], connection: bySecret() },
  ...more,
});
async function stand(world: Partial<AzureWorld> = {}) {
  const opened = await openAzureStand(world);
  open.push(opened);
  const endpoints = { management: opened.url, login: opened.url };
  const collector = createAzureCollector({ outbound, clock, endpoints, pauses: [10, 10] });
  return { ...opened, collector, collect: (of = target(), signal?: AbortSignal) => recordedOf(collector, of, signal) };
}

const server = (name: string, location = 'westeurope') =>
  row('Microsoft.Sql/servers', [name], { publicNetworkAccess: 'Enabled' }, { location });
const rule = (at: string, name: string, start: string) => ({
  // providers do not write identifiers as the graph does
  id: `${idOf('Microsoft.Sql/servers', at)}/firewallRules/${name}`.replace('resourceGroups', 'resourcegroups'),
  ...{ name, type: 'Microsoft.Sql/servers/firewallRules', properties: { startIpAddress: start, endIpAddress: '255.255.255.255' } },
});
const account = (name: string, location = 'westeurope') =>
  row(
    'Microsoft.Storage/storageAccounts',
    [name],
    { minimumTlsVersion: 'TLS1_0', allowBlobPublicAccess: true },
    { location, kind: 'StorageV2' },
  );
/** A built-in role has the same id in every subscription; the interface writes it in any case. */
const OWNER = `/subscriptions/${SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/8E3AF657-a8ff-443c-a75c-2fe8c4bcb635`;

const shop: Partial<AzureWorld> = {
  graph: {
    resources: [
      account('shopdata'),
      account('shopfiles', 'northeurope'),
      server('shop-sql'),
      row('Microsoft.Web/sites', ['front'], { httpsOnly: false, siteConfig: { minTlsVersion: null } }, { kind: 'app,linux' }),
      row('Microsoft.Network/dnsZones', ['shop.example'], {}, { location: 'global' }),
    ],
    appserviceresources: [
      row('Microsoft.Web/sites/config', ['front', 'web'], {
        ...{ minTlsVersion: '1.0', remoteDebuggingEnabled: true, appSettings: [{ name: 'KEY', value: 'hidden' }] },
      }),
    ],
    resourcecontainers: [
      {
        ...{ id: `/subscriptions/${SUBSCRIPTION}/resourceGroups/shop`, name: 'shop', location: 'westeurope' },
        type: 'microsoft.resources/subscriptions/resourcegroups',
      },
    ],
    authorizationresources: [
      {
        id: `/subscriptions/${SUBSCRIPTION}/providers/Microsoft.Authorization/RoleAssignments/1`,
        ...{ name: '1', type: 'microsoft.authorization/roleassignments' },
        properties: { scope: `/subscriptions/${SUBSCRIPTION}`, principalId: 'p', principalType: 'User', roleDefinitionId: OWNER },
      },
    ],
    securityresources: [
      {
        id: `/subscriptions/${SUBSCRIPTION}/providers/Microsoft.Security/pricings/VirtualMachines`,
        ...{ name: 'VirtualMachines', type: 'microsoft.security/pricings', properties: { pricingTier: 'Free' } },
      },
    ],
  },
  lists: {
    '/shop-sql/firewallRules': [rule('shop-sql', 'a', '10.0.0.1'), rule('shop-sql', 'b', '10.0.0.2'), rule('shop-sql', 'any', '0.0.0.0')],
    '/shopdata/blobServices/default/containers': [
      {
        id: `${idOf('Microsoft.Storage/storageAccounts', 'shopdata')}/blobServices/default/containers/open`,
        ...{ name: 'open', type: 'Microsoft.Storage/storageAccounts/blobServices/containers', properties: { publicAccess: 'Blob' } },
      },
    ],
  },
};

describe('what is collected of a subscription', () => {
  it('is read as its assets, with the attributes that rules read, whatever tells them', async () => {
    const azure = await stand({ ...shop, page: 2 });
    const { told, missing } = await azure.collect();
    expect(missing).toEqual([]);
    const { format, assets, broken } = await readRecorded(told, SUBSCRIPTION);
    expect([format, broken]).toEqual(['cloud_api_responses', []]);
    const of = (type: string) => assets.filter(({ resource_type }) => resource_type === type);
    expect(
      of('azurerm_storage_account').map(({ configuration, region, account_id }) => [configuration['name'], region, account_id]),
    ).toEqual([
      ['shopdata', 'westeurope', SUBSCRIPTION],
      ['shopfiles', 'northeurope', SUBSCRIPTION],
    ]);
    expect(of('azurerm_storage_account')[0]!.configuration).toMatchObject({
      min_tls_version: 'TLS1_0',
      allow_nested_items_to_be_public: true,
    });
    expect(of('azurerm_mssql_firewall_rule').map(({ configuration }) => configuration)).toContainEqual(
      expect.objectContaining({
        ...{ start_ip_address: '0.0.0.0', end_ip_address: '255.255.255.255', server_id: idOf('Microsoft.Sql/servers', 'shop-sql') },
      }),
    );
    expect(of('azurerm_mssql_firewall_rule')).toHaveLength(3);
    expect(of('azurerm_storage_container')[0]!.configuration).toMatchObject({ container_access_type: 'blob' });
    expect(of('azurerm_linux_web_app')[0]!.configuration).toMatchObject({
      ...{ https_only: false, site_config: [{ minimum_tls_version: '1.0', remote_debugging_enabled: true }] },
    });
    for (const type of [
      'azurerm_resource_group',
      'azurerm_role_assignment',
      'azurerm_security_center_subscription_pricing',
      'azurerm_dns_zone',
    ])
      expect(of(type)).toHaveLength(1);
    expect(JSON.stringify(told)).not.toMatch(/hidden|the secret of/);
  });

  it('is what the target is narrowed to: its regions with what is everywhere, and its services', async () => {
    const azure = await stand(shop);
    const { told } = await azure.collect(target({ regions: ['northeurope'] }));
    const named = (await readRecorded(told, SUBSCRIPTION)).assets.map(({ configuration }) => configuration['name']);
    expect(named).toEqual(expect.arrayContaining(['shopfiles', 'shop.example']));
    expect(named).not.toContain('shopdata');
    expect(azure.received.some(({ path }) => path.includes('shop-sql'))).toBe(false);
    const storage = await azure.collect(target({ services: ['storage'] }));
    const types = (await readRecorded(storage.told, SUBSCRIPTION)).assets.map(({ resource_type }) => resource_type);
    expect(new Set(types)).toEqual(new Set(['azurerm_storage_account', 'azurerm_storage_container']));
  });

  it('leaves out what is denied, and says which permission is missing', async () => {
    const azure = await stand({
      ...shop,
      permissions: [{ actions: ['Microsoft.*/read'], notActions: ['microsoft.web/*/read'] }],
      instead: ({ where }) => (where.endsWith('/firewallRules') ? failure(403, 'AuthorizationFailed') : undefined),
    });
    const { told, missing } = await azure.collect();
    expect(missing).toContainEqual({
      source: 'azure/Microsoft.Web/sites',
      not_answered: 'The permission Microsoft.Web/sites/read is missing.',
    });
    expect(missing).toContainEqual({
      ...{ source: 'azure/Microsoft.Sql/servers/firewallRules', region: 'westeurope' },
      not_answered: 'The permission Microsoft.Sql/servers/firewallRules/read is missing for some.',
    });
    expect(azure.received.some(({ body }) => /appserviceresources|Microsoft.Web/.test(body))).toBe(false);
    const { assets, broken } = await readRecorded(told, SUBSCRIPTION);
    expect(assets.map(({ resource_type }) => resource_type)).toContain('azurerm_storage_container');
    expect(broken).toEqual(missing.map(({ not_answered }) => not_answered));
    expect(JSON.stringify(told)).not.toContain(CLIENT);
  });

  it('is asked for all the same where nobody tells what may be read, and told as incomplete', async () => {
    const azure = await stand({
      ...shop,
      instead: ({ where }) => (where.endsWith('/permissions') ? failure(400, 'InvalidScope') : undefined),
    });
    const { told, missing } = await azure.collect();
    expect(missing).toEqual([
      { source: 'azure/Microsoft.Authorization/permissions', not_answered: 'The list of permissions answered 400 (InvalidScope).' },
    ]);
    expect((await readRecorded(told, SUBSCRIPTION)).assets.length).toBeGreaterThan(10);
  });

  it('is told once for all things whose list is denied', async () => {
    const resources = Array.from({ length: 9 }, (_, n) => server(`s${n}`));
    const instead: AzureWorld['instead'] = ({ where }) =>
      where.endsWith('/firewallRules') ? failure(403, 'AuthorizationFailed') : undefined;
    const azure = await stand({ graph: { resources }, instead });
    const { missing, whole } = await azure.collect(target({ services: ['sql'] }));
    expect(missing).toHaveLength(1);
    expect(whole).toEqual(expect.arrayContaining(['microsoft.sql/servers', 'microsoft.sql/servers/databases']));
    expect(whole).not.toContain('microsoft.sql/servers/firewallrules');
  });

  it('comes in smaller pages where rows are large, and in records that can be read', async () => {
    const resources = Array.from({ length: 6 }, (_, n) =>
      row('Microsoft.Storage/storageAccounts', [`a${n}`], { text: 'x'.repeat(900_000) }),
    );
    const azure = await stand({
      graph: { resources },
      instead: ({ table, body }) =>
        table === 'resources' && body.includes('"$top":1000') ? failure(400, 'ResponsePayloadTooLarge') : undefined,
    });
    const { told, missing } = await azure.collect(target({ services: ['storage'] }));
    expect(missing).toEqual([]);
    const { assets, broken } = await readRecorded(told, SUBSCRIPTION);
    expect([assets.filter(({ resource_type }) => resource_type === 'azurerm_storage_account').length, broken]).toEqual([6, []]);
  });
});

it('a role that is built in is named, and one of the customer is not', async () => {
  const rows = [OWNER, `/subscriptions/${SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/0000`].map(
    (roleDefinitionId, n) => ({
      id: `/subscriptions/${SUBSCRIPTION}/providers/Microsoft.Authorization/RoleAssignments/${n}`,
      ...{ name: String(n), type: 'microsoft.authorization/roleassignments' },
      properties: { scope: `/subscriptions/${SUBSCRIPTION}`, principalId: 'p', principalType: 'ServicePrincipal', roleDefinitionId },
    }),
  );
  const azure = await stand({ graph: { authorizationresources: rows } });
  const { assets } = await readRecorded((await azure.collect()).told, SUBSCRIPTION);
  const roles = assets.filter(({ resource_type }) => resource_type === 'azurerm_role_assignment');
  expect(roles.map(({ configuration }) => configuration['role_definition_name'])).toEqual(['Owner', null]);
});

describe('an interface that', () => {
  it('asks for patience is asked again after it, and no earlier', async () => {
    let turned = 0;
    const azure = await stand({
      ...shop,
      instead: ({ table }) => (table === 'resources' && turned++ === 0 ? failure(429, 'RateLimiting', { 'retry-after': '1' }) : undefined),
    });
    const began = Date.now();
    expect((await azure.collect()).missing).toEqual([]);
    expect([turned, Date.now() - began >= 1_000]).toEqual([2, true]);
  });

  it('names a page for ever is left there, and one that fails is told as that', async () => {
    const page = { data: [account('again')], $skipToken: 'the same' };
    const azure = await stand({
      ...shop,
      instead: ({ table }) =>
        table === 'resources'
          ? { status: 200, body: JSON.stringify(page) }
          : table === 'securityresources'
            ? failure(500, 'InternalServerError')
            : undefined,
    });
    const { missing, told, whole } = await azure.collect();
    // what the graph did not tell to its end has lists that nobody asked for
    expect(whole).toContain('microsoft.authorization/roleassignments');
    expect(whole!.filter((part) => /^microsoft\.(?:storage|sql|web)\//.test(part))).toEqual([]);
    expect(missing).toEqual([
      { source: 'azure/resource-graph/resources', not_answered: 'The interface named a page again that was read before.' },
      { source: 'azure/resource-graph/securityresources', not_answered: 'The graph answered 500 (InternalServerError).' },
    ]);
    expect((await readRecorded(told, SUBSCRIPTION)).assets.map(({ resource_type }) => resource_type)).toContain('azurerm_role_assignment');
  });

  it('does not answer is left when the work is aborted', async () => {
    const azure = await stand({ ...shop, instead: ({ table }) => (table === 'resources' ? null : undefined) });
    const abort = new AbortController();
    const collected = azure.collect(target(), abort.signal);
    await azure.until(4);
    setTimeout(() => abort.abort(new Error('it was cancelled')), 50);
    const began = Date.now();
    await expect(collected).rejects.toThrow('it was cancelled');
    expect(Date.now() - began).toBeLessThan(20_000);
  });
});

describe('a connection', () => {
  it('with a secret that is not taken is refused, without saying what it was', async () => {
    const azure = await stand(shop);
    const refused = azure.collect(target({ connection: bySecret('another secret') }));
    await expect(refused).rejects.toThrow(ConnectionRefused);
    await expect(refused).rejects.toThrow(/does not take the secret of the application: it answered AADSTS7000215\.$/);
    expect(azure.tokens()).toBe(0);
  });

  it('by an identity that this deployment does not have is refused before anything is asked', async () => {
    const azure = await stand(shop);
    const connection: Connection = {
      method: 'workload_identity',
      values: { directory_id: DIRECTORY, client_id: CLIENT },
      external_id: null,
    };
    await expect(azure.collect(target({ connection }))).rejects.toThrow(/no identity of its own in Azure/);
    expect(azure.received).toEqual([]);
  });

  it('that sees no such subscription, or nothing in it, is refused', async () => {
    const gone = await stand({
      instead: ({ where }) => (where === `/subscriptions/${SUBSCRIPTION}` ? failure(404, 'SubscriptionNotFound') : undefined),
    });
    await expect(gone.collect()).rejects.toThrow(/sees no such subscription/);
    const nothing = await stand({ permissions: [{ actions: ['Microsoft.Support/*'], notActions: [] }] });
    await expect(nothing.collect()).rejects.toThrow(/may read nothing of the subscription/);
  });

  it('gets another token when one ends, and shares none with the next target', async () => {
    const azure = await stand({ ...shop, expires: 60 });
    await azure.collect(target({ services: ['storage'] }));
    expect(azure.tokens()).toBeGreaterThan(2);
    const long = await stand(shop);
    await long.collect(target({ services: ['storage'] }));
    await long.collect(target({ services: ['storage'] }));
    expect(long.tokens()).toBe(2);
  });

  it('is tried by what it is granted, service by service', async () => {
    const azure = await stand({ permissions: [{ actions: ['*/read'], notActions: ['Microsoft.Storage/*'] }] });
    const tried = [];
    for await (const one of azure.collector.tryOut(target(), new AbortController().signal)) tried.push(one);
    expect(new Set(tried.map(({ permission }) => permission)).size).toBe(tried.length);
    expect(new Set(tried.map(({ service }) => service))).toEqual(new Set(AZURE_CALLS.map(({ service }) => service)));
    expect(tried.filter(({ granted }) => !granted).map(({ permission }) => permission)).toEqual([
      'Microsoft.Storage/storageAccounts/read',
      'Microsoft.Storage/storageAccounts/blobServices/containers/read',
    ]);
    const blind = await stand({
      instead: ({ where }) => (where.endsWith('/permissions') ? failure(403, 'AuthorizationFailed') : undefined),
    });
    const told = [];
    for await (const one of blind.collector.tryOut(target(), new AbortController().signal)) told.push(one);
    expect(told).toEqual([{ service: 'resource-graph', permission: 'Microsoft.Authorization/permissions/read', granted: false }]);
  });
});

describe('the table of calls', () => {
  const asked = AZURE_SERVICES.flatMap((service) => [...Object.values(service.graph).flat(), ...listsOf(service).map(({ type }) => type)]);

  it('grants what is called, and nothing else', async () => {
    const holders = [...new Set(AZURE_SERVICES.flatMap(listsOf).flatMap(({ of = [] }) => of))];
    const resources = holders.map((type) =>
      row(type, ['one', 'two', 'three'], {}, { kind: /Cognitive/.test(type) ? 'OpenAI' : 'StorageV2' }),
    );
    const azure = await stand({ graph: { resources } });
    await azure.collect();
    const called = new Set(['microsoft.resourcegraph/resources/read']);
    for (const { path, body } of azure.received) {
      const where = decodeURIComponent(path.split('?')[0]!);
      if (where.includes('ResourceGraph'))
        for (const [, type] of body.matchAll(/'([A-Z][\w.]+\/[^']+)'/g)) called.add(`${type!.toLowerCase()}/read`);
      else if (where === `/subscriptions/${SUBSCRIPTION}`) called.add('microsoft.resources/subscriptions/read');
      else if (where.startsWith('/subscriptions/')) {
        const [namespace, ...steps] = where.split('/providers/').at(-1)!.split('/');
        called.add(`${[namespace, ...steps.filter((_, n) => n % 2 === 0)].join('/').toLowerCase()}/read`);
      }
    }
    expect([...called].sort()).toEqual(
      [...new Set(AZURE_CALLS.flatMap(({ permissions }) => permissions.map((one) => one.toLowerCase())))].sort(),
    );
  });

  it('asks for nothing that is not read', () => {
    const read = new Set(cloudTable('azure').things.flatMap(({ config }) => config.map((type) => type.toLowerCase())));
    expect(asked.filter((type) => !read.has(type.toLowerCase()))).toEqual([]);
  });

  it('asks for the diagnostic settings of all types whose rules ask for them, for one without any counts as one that has none', () => {
    const diagnosed = new Set(AZURE_SERVICES.flatMap(listsOf).flatMap(({ type, of = [] }) => (/diagnostic/i.test(type) ? of : [])));
    const wanting = new Set(
      loadCatalog()
        .rules.filter(({ expression }) => expression.includes('companions(asset, "azurerm_monitor_diagnostic_setting"'))
        .flatMap(({ resource_types }) => resource_types),
    );
    const kinds = cloudTable('azure')
      .things.filter(({ type }) => wanting.has(type))
      .flatMap(({ config }) => config.map((one) => one.toLowerCase()));
    const graphed = AZURE_SERVICES.flatMap(({ graph }) => Object.values(graph).flat());
    expect(graphed.filter((type) => kinds.includes(type.toLowerCase()) && !diagnosed.has(type))).toEqual([]);
    expect(diagnosed.size).toBeGreaterThan(50);
  });
});
