import { wordOf } from '../format.js';
import { LongTable } from '../parts/long-table.js';
import { Empty } from '../parts/states.js';
import { Moment } from '../parts/text.js';
import { can } from '../session.js';
import { usePages } from '../use-pages.js';
import { Invite } from './invite.js';

interface User {
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly mfa: string;
  readonly last_login_at: string | null;
}

/** Who is in the tenant, with which role. */
export function People() {
  const { list, reload } = usePages<User>('/api/v1/users');
  return (
    <>
      {can('users:write') && (
        <div class="filter-bar menus">
          <Invite invited={reload} />
        </div>
      )}
      <LongTable
        label="people"
        list={list}
        keyOf={({ user_id }) => user_id}
        columns={[
          { id: 'name', title: 'Name', width: 180, cell: ({ name }) => name },
          { id: 'email', title: 'E-mail address', when: 'wide', cell: ({ email }) => email },
          { id: 'role', title: 'Role', width: 140, cell: ({ role }) => wordOf(role) },
          { id: 'state', title: 'State', width: 100, cell: ({ state }) => wordOf(state) },
          { id: 'mfa', title: 'Second factor', width: 120, when: 'wide', cell: ({ mfa }) => (mfa === 'none' ? 'none' : mfa.toUpperCase()) },
          {
            id: 'login',
            title: 'Last sign-in',
            width: 130,
            when: 'wide',
            cell: ({ last_login_at }) => <Moment time={last_login_at} empty="never" />,
          },
        ]}
        empty={
          <Empty>
            <p>Nobody is here.</p>
          </Empty>
        }
      />
    </>
  );
}
