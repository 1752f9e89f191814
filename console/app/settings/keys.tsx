import { wordOf } from '../format.js';
import { LongTable } from '../parts/long-table.js';
import { Empty } from '../parts/states.js';
import { Moment } from '../parts/text.js';
import { usePages } from '../use-pages.js';

interface ApiKey {
  readonly id: string;
  readonly prefix: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly owner_email: string;
  readonly state: string;
  readonly expires_at: string;
  readonly last_used_at: string | null;
}

/** The keys of programs: what each may, until when, and when it was last used. */
export function Keys() {
  const { list } = usePages<ApiKey>('/api/v1/api-keys');
  return (
    <LongTable
      label="API keys"
      list={list}
      keyOf={({ id }) => id}
      columns={[
        { id: 'name', title: 'Name', cell: ({ name }) => name },
        { id: 'prefix', title: 'Begins with', width: 140, when: 'wide', cell: ({ prefix }) => <code>{prefix}</code> },
        { id: 'owner', title: 'Owner', width: 200, when: 'wide', cell: ({ owner_email }) => owner_email },
        {
          id: 'permissions',
          title: 'Permissions',
          when: 'roomy',
          cell: ({ permissions }) => <span title={permissions.join(', ')}>{permissions.join(', ')}</span>,
        },
        { id: 'state', title: 'State', width: 90, cell: ({ state }) => wordOf(state) },
        { id: 'used', title: 'Last used', width: 120, cell: ({ last_used_at }) => <Moment time={last_used_at} empty="never" /> },
        { id: 'expires', title: 'Expires', width: 120, when: 'wide', cell: ({ expires_at }) => <Moment time={expires_at} /> },
      ]}
      empty={
        <Empty>
          <p>
            No program has a key yet: <code>POST /api/v1/api-keys</code> makes one.
          </p>
        </Empty>
      }
    />
  );
}
