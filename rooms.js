// The rooms of this house and what each may import. The linter holds the arrows (eslint.config.js), a test that there is no circle and that
// docs/architecture.md shows the same table. A path is that of a folder or a file; the longest that fits names a file's room. `subgraphs/*` is
// one room an engine, and `<room>/*` as a target all rooms below it.

const KIT = ['kit/base', 'kit/store', 'kit/keys', 'kit/outbound', 'kit/work', 'kit/audit', 'kit/engine'];

/** Room -> the rooms that it may import. */
export const ROOMS = {
  schema: [],
  embedded: [],
  redaction: ['schema'],

  'kit/base': ['schema'],
  'kit/store': ['kit/base'],
  'kit/keys': ['kit/base', 'kit/store'],
  'kit/outbound': ['kit/base'],
  'kit/work': ['kit/base', 'kit/store', 'kit/keys'],
  'kit/audit': ['kit/base', 'kit/store', 'kit/keys', 'kit/work'],
  'kit/engine': ['schema', 'redaction', 'kit/base', 'kit/store', 'kit/keys', 'kit/outbound', 'kit/work', 'kit/audit'],
  'kit/findings': ['schema', ...KIT],
  'kit/read': ['schema', 'kit/base', 'kit/store', 'kit/work', 'kit/engine', 'kit/findings'],
  'kit/graph': ['schema'],
  'kit/projections': ['schema', 'kit/base', 'kit/store', 'kit/engine', 'kit/read'],

  'importers/types.ts': ['schema'],
  'importers/readers': ['importers/types.ts', 'redaction'],
  'importers/normalize': ['schema', 'importers/types.ts', 'importers/readers', 'redaction'],
  'importers/terraform': ['schema', 'importers/types.ts', 'importers/readers', 'importers/normalize', 'redaction'],
  'importers/cloud': ['importers/types.ts', 'importers/readers', 'importers/terraform'],
  'importers/events': ['schema', 'importers/types.ts', 'importers/readers', 'importers/normalize', 'redaction'],
  'importers/formats': [
    'schema',
    'importers/types.ts',
    'importers/readers',
    'importers/normalize',
    'importers/terraform',
    'importers/cloud',
    'importers/events',
    'redaction',
  ],
  importers: ['schema', 'importers/types.ts', 'importers/readers', 'importers/formats', 'redaction'],

  sources: ['schema', 'redaction', 'importers', 'importers/types.ts', 'importers/readers', 'importers/terraform', 'importers/cloud'],

  catalog: ['schema', 'redaction', 'importers', 'importers/types.ts'],

  collectors: ['schema', 'kit/base', 'kit/outbound'],
  feeds: ['schema', 'importers/types.ts', 'importers/readers', 'importers/normalize', 'catalog', ...KIT, 'kit/findings'],

  accounts: ['schema', 'kit/base', 'kit/store', 'kit/keys', 'kit/audit', 'kit/engine'],
  http: ['schema', 'kit/base', 'kit/store'],
  'sign-in': ['schema', 'http', 'accounts', 'kit/base', 'kit/store', 'kit/keys', 'kit/outbound', 'kit/work', 'kit/audit', 'kit/engine'],

  'subgraphs/*': ['schema', ...KIT, 'kit/findings', 'kit/graph', 'kit/projections', 'kit/read', 'catalog'],
  'subgraphs/identity': ['schema', ...KIT, 'accounts'],
  'subgraphs/onboarding': ['schema', ...KIT, 'kit/findings', 'kit/read', 'collectors'],
  'subgraphs/scans': ['schema', ...KIT, 'kit/findings', 'kit/read', 'redaction', 'catalog', 'importers', 'importers/types.ts'],
  'subgraphs/reporting': ['schema', ...KIT, 'kit/findings', 'kit/read', 'redaction'],
  'subgraphs/secops': ['schema', ...KIT, 'kit/findings', 'kit/projections', 'kit/read', 'catalog', 'feeds'],
  'subgraphs/vulnerability': ['schema', ...KIT, 'kit/findings', 'kit/read', 'catalog', 'feeds'],
  'subgraphs/events': ['kit/engine', 'subgraphs/events/*'],
  'subgraphs/events/audit-log': KIT,
  'subgraphs/events/outbox': KIT,
  'subgraphs/events/siem': ['schema', ...KIT],
  'subgraphs/events/findings': ['schema', ...KIT, 'kit/findings', 'kit/read'],
  'subgraphs/events/webhooks': ['schema', ...KIT, 'subgraphs/events/outbox', 'subgraphs/events/findings'],
  'subgraphs/events/channels': ['schema', ...KIT, 'subgraphs/events/findings'],
  'subgraphs/events/integrations': ['schema', ...KIT, 'kit/read', 'subgraphs/events/channels'],
  'subgraphs/events/tickets': [
    'schema',
    ...KIT,
    'kit/findings',
    'subgraphs/events/outbox',
    'subgraphs/events/findings',
    'subgraphs/events/channels',
    'subgraphs/events/integrations',
  ],
  'subgraphs/events/notifications': [
    'schema',
    ...KIT,
    'kit/findings',
    'subgraphs/events/outbox',
    'subgraphs/events/findings',
    'subgraphs/events/channels',
    'subgraphs/events/integrations',
    'subgraphs/events/tickets',
  ],
  'subgraphs/index.ts': ['kit/engine', 'subgraphs/*'],

  gateway: ['schema', 'http', 'sign-in', 'kit/base', 'kit/store', 'kit/keys', 'kit/engine'],
  rest: ['schema', 'http', 'gateway', 'sign-in', 'kit/base', 'kit/store', 'kit/engine'],
  // bundled for browsers: of others it takes types, and code that runs anywhere
  console: ['schema', 'gateway'],
  'console/app': ['schema'],
  'console/reference': ['console/app'],
  'app.ts': ['rest', 'gateway', 'sign-in', 'http', 'kit/base', 'kit/store', 'kit/engine'],
  processes: [
    'app.ts',
    'demo',
    'feeds',
    'processes/import-report.ts',
    'processes/migrations',
    'subgraphs/index.ts',
    'subgraphs/events/integrations',
    'subgraphs/events/siem',
    'subgraphs/events/webhooks',
    'subgraphs/onboarding',
    'rest',
    'gateway',
    'sign-in',
    'http',
    'accounts',
    'embedded',
    'schema',
    ...KIT,
    'kit/findings',
    'kit/read',
  ],
  'processes/import-report.ts': ['schema', 'accounts', ...KIT],
  'processes/migrations': ['schema', ...KIT, 'kit/findings', 'catalog', 'importers/normalize', 'subgraphs/index.ts', 'subgraphs/*'],
  demo: ['processes/import-report.ts', 'subgraphs/identity', 'sign-in', 'accounts', 'schema', 'kit/base', 'kit/store', 'kit/engine'],
  cli: [
    'demo',
    'feeds',
    'importers/readers',
    'sources',
    'processes',
    'processes/import-report.ts',
    'sign-in',
    'accounts',
    'subgraphs/index.ts',
    'subgraphs/identity',
    'embedded',
    'catalog',
    'importers',
    'schema',
    ...KIT,
  ],
  'main.ts': ['cli', 'processes'],
  scripts: [
    'processes',
    'subgraphs/index.ts',
    'rest',
    'gateway',
    'catalog',
    'importers',
    'importers/cloud',
    'importers/types.ts',
    'kit/base',
    'kit/work',
    'schema',
  ],
};

/** Rooms that stand outside of the house and may look into every room. */
export const OUTSIDE = ['bench', 'test', 'rooms.js', 'rooms.d.ts'];

const names = Object.keys(ROOMS).sort((one, other) => other.length - one.length);

/**
 * The room of a file.
 * @param {string} path from the root, with slashes
 * @returns {{ name: string, rule: string } | null} its own name, and the name under which ROOMS holds it; null for what lies in no room
 */
export function roomOf(path) {
  for (const rule of [...names, ...OUTSIDE]) {
    if (rule.endsWith('/*')) {
      const [name] = new RegExp(`^${rule.slice(0, -1)}[^/]+(?=/)`).exec(path) ?? [];
      if (name) return { name, rule };
    } else if (path === rule || path.startsWith(`${rule}/`)) return { name: rule, rule };
  }
  return null;
}

/** Whether a file of room `from` may import a file of room `to`. */
export function mayImport(from, to) {
  if (from.name === to.name || OUTSIDE.includes(from.rule)) return true;
  const targets = ROOMS[from.rule];
  return targets.some((target) => (target.endsWith('/*') ? to.name.startsWith(target.slice(0, -1)) : target === to.name));
}
