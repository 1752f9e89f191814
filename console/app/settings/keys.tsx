import type { Permission } from '../../../schema/permissions.js';
import { wordOf } from '../format.js';
import { ManagedList } from '../parts/managed-list.js';
import type { Managed } from '../parts/managed.js';
import { Facts, Moment } from '../parts/text.js';
import { me } from '../session.js';

interface ApiKey {
  readonly id: string;
  readonly prefix: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly owner_email: string;
  readonly state: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly last_used_at: string | null;
  readonly last_used_ip: string | null;
}

const keyIn = (answer: unknown): string | null => (answer as { key?: string } | null)?.key ?? null;

/** @param mine what the person may do: a key may do no more */
const keysOf = (mine: readonly Permission[]): Managed<ApiKey> => ({
  one: 'API key',
  many: 'API keys',
  path: '/api/v1/api-keys',
  writes: 'users:write',
  idOf: ({ id }) => id,
  titleOf: ({ name }) => name,
  columns: [
    { id: 'prefix', title: 'Begins with', width: 140, when: 'wide', cell: ({ prefix }) => <code>{prefix}</code> },
    { id: 'owner', title: 'Owner', width: 200, when: 'roomy', cell: ({ owner_email }) => owner_email },
    { id: 'state', title: 'State', width: 90, cell: ({ state }) => wordOf(state) },
    { id: 'used', title: 'Last used', width: 120, when: 'wide', cell: ({ last_used_at }) => <Moment time={last_used_at} empty="never" /> },
    { id: 'expires', title: 'Expires', width: 120, cell: ({ expires_at }) => <Moment time={expires_at} /> },
  ],
  add: {
    fields: [
      { name: 'name', label: 'Name', kind: 'text', isNeeded: true, hint: 'Which program it is for.' },
      { name: 'expires_at', label: 'Works until', kind: 'date', isNeeded: true, hint: 'At most a year from now.' },
      { name: 'permissions', label: 'What it may do', kind: 'many', options: mine, isNeeded: true },
    ],
  },
  edit: null,
  actions: [],
  removal: { verb: 'Delete', follows: 'Programs that use it are refused from their next call on.' },
  once: keyIn,
  details: (key) => (
    <Facts
      of={[
        ['Begins with', <code>{key.prefix}</code>],
        ['Owner', key.owner_email],
        ['State', wordOf(key.state)],
        ['Made', <Moment time={key.created_at} />],
        ['Expires', <Moment time={key.expires_at} />],
        ['Last used', <Moment time={key.last_used_at} empty="never" />],
        ['From', key.last_used_ip],
        [
          'Permissions',
          key.permissions.map((permission) => (
            <code class="tag" key={permission}>
              {permission}
            </code>
          )),
        ],
      ]}
    />
  ),
  empty: 'No program has a key yet: a key lets one call the API with some of your permissions.',
});

/** The keys of programs: what each may, until when, and when it was last used. */
export const Keys = () => <ManagedList of={keysOf(me.value?.permissions ?? [])} />;
