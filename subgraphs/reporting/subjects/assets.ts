import { z } from 'zod';
import { CRITICALITIES, ENVIRONMENTS, EXPOSURE_LEVELS } from '../../../schema/model.js';
import { holds } from '../../../kit/base/auth-context.js';
import { invalid, violationsOf } from '../../../kit/base/errors.js';
import { runOperation } from '../../../kit/engine/operation.js';
import { readModel, type ReadModel } from '../../../kit/read/read-model.js';
import type { Column, Row } from '../formats/format.js';
import { assertHolds, filteredQuery, toldOf, type Filter, type Subject } from './subject.js';

/** Filters of assets, as their list has them. Words are texts here: the inventory alone declares their types. */
export const ASSET_FILTERS = {
  provider: { type: '[Provider!]', description: 'Only these providers.' },
  account_id: { type: '[String!]', description: 'Only these accounts.' },
  region: { type: '[String!]', description: 'Only these regions.' },
  resource_type: { type: '[String!]', description: 'Only these resource types.' },
  scan_run_id: { type: '[String!]', description: 'Only assets that these runs saw last.' },
  owner: { type: '[String!]', description: 'Only assets that these answer for.' },
  environment: { type: '[String!]', description: `Only assets of these environments: ${ENVIRONMENTS.join(', ')}.` },
  criticality: { type: '[String!]', description: `Only assets of which so much depends: ${CRITICALITIES.join(', ')}.` },
  tag: { type: '[String!]', description: 'Only assets with any of these tags: `team` with any value, or `team=payments`.' },
  q: { type: 'String', description: 'Only assets whose identifier or name holds this text, in any case.' },
  exposure: {
    type: '[String!]',
    description: `Only assets that the internet reaches so far (${EXPOSURE_LEVELS.join(', ')}); it needs network:read.`,
  },
  risk_min: {
    type: 'Int',
    description: 'Only assets with an open finding of at least this risk score, in the engines that the owner may read.',
  },
  planned: { type: 'Boolean', description: 'With `true` only assets that a plan alone tells of, with `false` only the others.' },
} as const;

/** The same as the inventory declares them. */
const TYPES = {
  ...ASSET_FILTERS,
  environment: { type: '[Environment!]' },
  criticality: { type: '[Criticality!]' },
  exposure: { type: '[Exposure!]' },
};

const words = z.object({
  environment: z.array(z.enum(ENVIRONMENTS)).optional(),
  criticality: z.array(z.enum(CRITICALITIES)).optional(),
  exposure: z.array(z.enum(EXPOSURE_LEVELS)).optional(),
});

const columns = (kind: Column['kind'], ...names: string[]): Column[] => names.map((name) => ({ name, kind }));
const COLUMNS: readonly Column[] = [
  ...columns('text', 'resource_uid', 'resource_type', 'resource_name', 'provider', 'account_id', 'region'),
  ...columns('json', 'tags'),
  ...columns('text', 'owner', 'environment', 'criticality'),
  ...columns('json', 'data_classes'),
  ...columns('number', 'open_findings', 'risk'),
  ...columns('text', 'exposure'),
  ...columns('flag', 'planned'),
  ...columns('text', 'scan_run_id'),
  ...columns('date', 'first_seen_at', 'last_seen_at'),
];
const AT_ONCE = 500;
const ROWS: ReadModel = { name: 'inventory', engine: 'di' };

/** The assets of the inventory that a filter selects, by resource_uid. Their numbers of findings go over the engines that the owner may read. */
export const assetsSubject: Subject = {
  kind: 'assets',
  columns: COLUMNS,
  async prepare(context, filter) {
    const { auth, services } = context;
    assertHolds(context, filter['exposure'] ? ['inventory:read', 'network:read'] : ['inventory:read']);
    const checked = words.safeParse(filter);
    if (!checked.success) throw invalid(violationsOf(checked.error).map(({ path, message }) => ({ path: `assets.${path}`, message })));
    const query = filteredQuery({ field: 'assets', selection: 'total', others: { page_size: 'Int' } }, TYPES, filter);
    const variables = { ...filter, page_size: 1 };
    const { total } = await toldOf('assets', runOperation<Filter, { total: number }>(context, { engine: 'di', query }, variables));
    const readable = services.findingEngines.map(({ permission }) => permission).filter((permission) => holds(auth, permission));
    const exposure = holds(auth, 'network:read') ? (['network:read'] as const) : [];
    return {
      filter,
      permissions: [...new Set(['inventory:read' as const, ...exposure, ...readable])],
      engines: [],
      total,
      title: 'Assets',
    };
  },
  async *read(owner, { filter }) {
    const others = { after: 'String', limit: 'Int!' };
    const query = filteredQuery({ field: 'asset_rows', selection: 'items next', others }, TYPES, filter);
    let after: string | null = null;
    do {
      const variables = { ...filter, after, limit: AT_ONCE };
      const found: { items: Row[]; next: string | null } = await readModel(await owner(), { engine: 'di', model: ROWS, query }, variables);
      yield found.items;
      after = found.next;
    } while (after !== null);
  },
};
