import { runOperation } from '../../../kit/engine/operation.js';
import { readModel, type ReadModel } from '../../../kit/read/read-model.js';
import type { Column, Row } from '../formats/format.js';
import { assertHolds, filteredQuery, toldOf, type Filter, type Subject } from './subject.js';

/** Filters of the audit log, as its list has them. */
export const AUDIT_FILTERS = {
  action: { type: '[String!]', description: 'Only these actions.' },
  actor: { type: '[String!]', description: 'Only what these people did, by e-mail address.' },
  target: { type: '[String!]', description: 'Only what was done to these targets.' },
  result: { type: 'String', description: 'Only entries with this result: success or failure.' },
  after: { type: 'DateTime', description: 'Only entries after this moment.' },
  before: { type: 'DateTime', description: 'Only entries before this moment.' },
} as const;

const column = (name: string, kind: Column['kind'] = 'text'): Column => ({ name, kind });
const COLUMNS: readonly Column[] = [
  column('seq', 'number'),
  column('timestamp', 'date'),
  ...['actor_email', 'action', 'target', 'target_email', 'role', 'ip_address', 'result'].map((name) => column(name)),
  column('detail', 'json'),
  column('support', 'json'),
  ...['api_key_id', 'prev', 'hash'].map((name) => column(name)),
];
const AT_ONCE = 500;
const ROWS: ReadModel = { name: 'audit_log', engine: 'events' };

/** The tenant's audit log in its order, with the hashes of its chain. Entries that come while the file is written are not in it. */
export const auditLogSubject: Subject = {
  kind: 'audit_log',
  columns: COLUMNS,
  async prepare(context, filter) {
    assertHolds(context, ['tenants:read']);
    const before = filter['before'] ?? context.services.clock.now();
    const query = filteredQuery({ field: 'audit_logs', selection: 'total', others: { page_size: 'Int' } }, AUDIT_FILTERS, filter);
    const variables = { ...filter, page_size: 1 };
    const { total } = await toldOf('audit_log', runOperation<Filter, { total: number }>(context, { engine: 'events', query }, variables));
    return { filter: { ...filter, before }, permissions: ['tenants:read'], engines: [], total, title: 'Audit log' };
  },
  async *read(owner, { filter }) {
    const others = { after_seq: 'Int!', limit: 'Int!' };
    const query = filteredQuery({ field: 'audit_rows', selection: 'items next', others }, AUDIT_FILTERS, filter);
    let after: number | null = 0;
    do {
      const variables = { ...filter, after_seq: after, limit: AT_ONCE };
      const found: { items: Row[]; next: number | null } = await readModel(
        await owner(),
        { engine: 'events', model: ROWS, query },
        variables,
      );
      yield found.items;
      after = found.next;
    } while (after !== null);
  },
};
