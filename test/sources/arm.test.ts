import { loadCatalog } from '../../catalog/catalog.js';
import { findProfile } from '../../catalog/profiles.js';
import { checkAll } from '../../cli/check/run.js';
import { readArm } from '../../sources/arm/read.js';
import { NoTemplate } from '../../sources/no-template.js';
import type { Found } from '../../sources/types.js';
import { toldBy, type Told } from './folder.js';

const SCHEMA = 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#';
const read = async (template: Readonly<Record<string, unknown>>): Promise<Told & { skipped: { line?: number; reason: string }[] }> => {
  const source = readArm('main.json', JSON.stringify({ $schema: SCHEMA, contentVersion: '1.0.0.0', ...template }, null, 1));
  const told = await toldBy(source);
  return { ...told, skipped: source.skipped!().map(({ line, reason }) => ({ ...(line !== undefined && { line }), reason })) };
};
const account = (more: Readonly<Record<string, unknown>>): object => ({
  type: 'Microsoft.Storage/storageAccounts',
  apiVersion: '2023-01-01',
  name: 'logs',
  ...more,
});
const addresses = ({ assets }: Told): string[] => assets.map(({ source }) => source.address).sort();

describe('expressions', () => {
  const parameters = {
    env: { type: 'string', defaultValue: 'prod' },
    open: { type: 'string' },
    secret: { type: 'secureString', defaultValue: 'x' },
    flag: { type: 'bool', defaultValue: true },
    list: { type: 'array', defaultValue: ['a', 'b'] },
  };
  const variables = {
    name: "[concat('n-', parameters('env'))]",
    loop: "[variables('loop')]",
    map: { prod: { tier: 'Premium' } },
    copy: [{ name: 'many', count: 2, input: "[format('x{0}', copyIndex('many', 1))]" }],
  };
  it.each<[string, unknown]>([
    ["[parameters('env')]", 'prod'],
    ["[PARAMETERS('ENV')]", 'prod'],
    ["[parameters('open')]", '${var.open}'],
    ["[parameters('secret')]", '${var.secret}'],
    ["[variables('name')]", 'n-prod'],
    ["[variables('map')[parameters('env')].tier]", 'Premium'],
    ["[concat('a-', parameters('open'))]", 'a-${var.open}'],
    ["[format('{0}-{1}', variables('name'), length(parameters('list')))]", 'n-prod-2'],
    ["[toUpper(replace('it''s', 's', 'z'))]", "IT'Z"],
    ["[if(equals(parameters('env'), 'prod'), 'yes', 'no')]", 'yes'],
    ["[if(and(parameters('flag'), not(empty(parameters('list')))), 'yes', 'no')]", 'yes'],
    ["[if(equals(parameters('open'), 'prod'), 'yes', 'no')]", '${try(null) ? true : false}'],
    ["[if(or(parameters('flag'), equals(parameters('open'), 'x')), 'yes', 'no')]", 'yes'],
    ["[join(concat(parameters('list'), createArray('c')), ',')]", 'a,b,c'],
    ["[join(variables('many'), ',')]", 'x1,x2'],
    ["[first(split('a/b', '/'))]", 'a'],
    ['[string(json(\'{"a": 1}\').a)]', '1'],
    ["[variables('loop')]", '${try(null)}'],
    ['[resourceGroup().location]', '${try(null)}'],
    ["[uniqueString('a')]", '${try(null)}'],
    ['[not an expression', '[not an expression'],
    ['[[plain]', '[plain]'],
    ["[concat('a'", "[concat('a'"],
    ["[concat('a']", '${try(null)}'],
  ])('%s', async (expression, value) => {
    const { of } = await read({ parameters, variables, resources: [account({ properties: { accessTier: expression } })] });
    expect(of('azurerm_storage_account.logs')['access_tier']).toEqual(value);
  });
});

it('what is said is known, and what is left out is neither there nor missing', async () => {
  const { of, assets } = await read({
    resources: [account({ properties: { supportsHttpsTrafficOnly: false, minimumTlsVersion: 'TLS1_2' }, sku: { name: 'Standard_LRS' } })],
  });
  const configuration = of('azurerm_storage_account.logs');
  expect(configuration).toMatchObject({ https_traffic_only_enabled: false, min_tls_version: 'TLS1_2', account_replication_type: 'LRS' });
  for (const name of ['allow_nested_items_to_be_public', 'network_rules', 'managed_virtual_network_enabled'])
    expect(configuration).not.toHaveProperty([name]);
  expect(assets[0]!.unknown_paths).toContain('*');
});

it('a choice and a loop that nobody can work out stand in the place of what they may make', async () => {
  const { of } = await read({
    parameters: { rules: { type: 'array' }, n: { type: 'int' } },
    resources: [
      account({ properties: { networkAcls: '[if(equals(parameters(\'n\'), 1), json(\'{"defaultAction": "Deny"}\'), null())]' } }),
      { type: 'Microsoft.Network/networkSecurityGroups', name: 'a', properties: { securityRules: "[parameters('rules')]" } },
      {
        type: 'Microsoft.Network/networkSecurityGroups',
        name: 'b',
        properties: { copy: [{ name: 'securityRules', count: "[parameters('n')]", input: { name: 'x' } }] },
      },
      {
        type: 'Microsoft.Network/networkSecurityGroups',
        name: 'c',
        properties: {
          copy: [{ name: 'securityRules', count: 2, input: { name: 'x', properties: { priority: "[copyIndex('securityRules', 100)]" } } }],
        },
      },
    ],
  });
  expect(of('azurerm_storage_account.logs')['network_rules']).toBe('${try(null) ? true : false}');
  expect(of('azurerm_network_security_group.a')['security_rule']).toEqual(['${var.rules}']);
  expect(of('azurerm_network_security_group.b')['security_rule']).toEqual(['${try(null) ? true : false}']);
  expect(of('azurerm_network_security_group.c')).toMatchObject({ security_rule: [{ priority: 100 }, { priority: 101 }] });
});

it('resources refer to each other by what their identifiers will be', async () => {
  const { of, edges, assets } = await read({
    variables: { group: "[resourceId('Microsoft.Network/networkSecurityGroups', 'web')]" },
    resources: [
      {
        type: 'Microsoft.Network/virtualNetworks',
        name: 'net',
        properties: {
          subnets: [
            { name: 'a', properties: { addressPrefix: '10.0.0.0/24', networkSecurityGroup: { id: "[variables('group')]" } } },
            { name: 'b', properties: { addressPrefix: '10.0.1.0/24' } },
          ],
        },
      },
      { type: 'Microsoft.Network/networkSecurityGroups', name: 'web', properties: { securityRules: [] } },
      {
        type: 'Microsoft.Network/networkSecurityGroups/securityRules',
        name: 'web/ssh',
        properties: { access: 'Allow', direction: 'Inbound', destinationPortRange: '22', sourceAddressPrefix: '*' },
      },
      account({
        resources: [{ type: 'blobServices/containers', name: 'default/public', properties: { publicAccess: 'Blob' } }],
      }),
    ],
  });
  expect(of('azurerm_network_security_rule.web_ssh')).toMatchObject({ network_security_group_name: 'web', destination_port_range: '22' });
  expect(of('azurerm_storage_container.logs_default_public')).toMatchObject({
    storage_account_id: '${azurerm_storage_account.logs.id}',
    storage_account_name: 'logs',
    container_access_type: 'blob',
  });
  const joins = assets.filter(({ resource_type }) => resource_type === 'azurerm_subnet_network_security_group_association');
  expect(joins.map(({ configuration }) => configuration)).toEqual([
    { subnet_id: '${azurerm_subnet.net_a.id}', network_security_group_id: '${azurerm_network_security_group.web.id}' },
  ]);
  const uid = (address: string): string => assets.find(({ source }) => source.address === address)!.resource_uid;
  expect(edges).toContainEqual(expect.objectContaining({ from: joins[0]!.resource_uid, to: uid('azurerm_subnet.net_a') }));
});

it('rules fail over what is open to all, pass over what is not, and say neither of what nobody knows', async () => {
  const group = (name: string, securityRules: unknown): object => ({
    type: 'Microsoft.Network/networkSecurityGroups',
    name,
    properties: securityRules === undefined ? {} : { securityRules },
  });
  const rule = (more: Readonly<Record<string, unknown>>): unknown => ({
    name: 'ssh',
    properties: { access: 'Allow', direction: 'Inbound', protocol: 'Tcp', destinationPortRange: '22', sourceAddressPrefix: '*', ...more },
  });
  const resources = [
    group('failing', [rule({})]),
    group('passing', [rule({ access: 'Deny' })]),
    group('source', [rule({ sourceAddressPrefix: "[parameters('from')]" })]),
    group('rules', "[parameters('rules')]"),
    group('absent', undefined),
  ];
  const source = readArm('main.json', JSON.stringify({ parameters: { from: {}, rules: {} }, resources }));
  const catalog = loadCatalog();
  const rules = catalog.rules.filter(({ rule_id }) => /^azure.*open_port\.ssh$/.test(rule_id));
  const found: Found = {
    sources: [source],
    named: new Set(),
    isSearch: false,
    empty: [],
    skipped: [],
    unreadable: [],
    others: 0,
    ignored: 0,
  };
  const { report } = await checkAll(found, catalog, { rules, profile: findProfile('all')!, all: true, baseline: undefined });
  const verdicts = Object.fromEntries(report.results.map(({ address, result }) => [address.replace(/^.*\./, ''), result]));
  expect(verdicts).toEqual({ failing: 'FAIL', passing: 'PASS', source: 'NOT_EVALUATED', rules: 'NOT_EVALUATED', absent: 'NOT_EVALUATED' });
});

it('conditions and loops decide what is made, and what is not mapped, or of no known kind, is told with its line', async () => {
  const told = await read({
    languageVersion: '2.0',
    parameters: { kind: { type: 'string' } },
    resources: {
      no: account({ name: 'no', condition: "[equals('a', 'b')]" }),
      there: account({ name: 'there', existing: true }),
      many: account({ name: "[format('m{0}', copyIndex())]", copy: { name: 'loop', count: 2 } }),
      open: account({ name: "[format('m{0}', copyIndex())]", copy: { name: 'loop', count: "[length(parameters('kind'))]" } }),
      nested: { type: 'Microsoft.Resources/deployments', name: 'inner', properties: {} },
      vm: {
        type: 'Microsoft.Compute/virtualMachines',
        name: 'vm',
        properties: { storageProfile: { osDisk: { osType: "[parameters('kind')]" } } },
      },
      broken: { name: 'x' },
    },
  });
  expect(addresses(told)).toEqual(['azurerm_storage_account.m0', 'azurerm_storage_account.m1', 'azurerm_storage_account.m_try_null']);
  expect(told.skipped).toEqual(
    [
      { line: expect.any(Number), reason: 'broken has no type and name' },
      { line: expect.any(Number), reason: 'inner: Microsoft.Resources/deployments is not mapped' },
      { line: expect.any(Number), reason: expect.stringContaining('vm: ') },
    ].sort((one, other) => (one.reason === 'broken has no type and name' ? 1 : other.reason === 'broken has no type and name' ? -1 : 0)),
  );
});

it('places are lines of the file', async () => {
  const text = `{ "$schema": "${SCHEMA}",\n "resources": [\n  { "type": "Microsoft.Storage/storageAccounts",\n    "name": "a" },\n  { "type": "Microsoft.Storage/storageAccounts", "name": "b" }\n ] }`;
  const source = readArm('a.json', text);
  const { assets } = await toldBy(source);
  expect(assets.map((asset) => source.placeOf(asset))).toEqual([
    { file: 'a.json', line: 3, endLine: 4 },
    { file: 'a.json', line: 5, endLine: 5 },
  ]);
});

it.each<[string, string]>([
  ['no JSON', '{ // a comment\n "resources": [] }'],
  ['no resources', '{}'],
  [
    'without an end',
    JSON.stringify({
      variables: Object.fromEntries(
        Array.from({ length: 40 }, (_, n) => [`v${n}`, { copy: [{ name: 'x', count: 1000, input: `[variables('v${n + 1}')]` }] }]),
      ),
      resources: [
        {
          type: 'a/b',
          name: 'x',
          properties: {
            copy: [
              {
                name: 'y',
                count: 1000,
                input: { copy: [{ name: 'z', count: 1000, input: { copy: [{ name: 'z', count: 1000, input: '[1]' }] } }] },
              },
            ],
          },
        },
      ],
    }),
  ],
])('a template that is %s cannot be read', (_what, text) => {
  expect(() => readArm('a.json', text)).toThrow(NoTemplate);
});
