import type { Role } from '../../../schema/permissions.js';
import { wordOf } from '../format.js';
import { ManagedList } from '../parts/managed-list.js';
import type { Managed } from '../parts/managed.js';
import { Facts, Moment } from '../parts/text.js';
import { me } from '../session.js';
import { grantable } from './grantable.js';
import { Invite } from './invite.js';

/** `GET /users`. */
interface User {
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly state: string;
  readonly mfa: string;
  readonly last_login_at: string | null;
  readonly created_at: string;
}

const factorWord = (mfa: string): string => (mfa === 'none' ? 'none' : mfa.toUpperCase());

/** @param own the role of who looks */
const peopleOf = (own: Role): Managed<User> => ({
  one: 'person',
  many: 'people',
  path: '/api/v1/users',
  writes: 'users:write',
  idOf: ({ user_id }) => user_id,
  titleOf: ({ name, email }) => name || email,
  columns: [
    { id: 'email', title: 'E-mail address', width: 260, when: 'wide', cell: ({ email }) => email },
    { id: 'role', title: 'Role', width: 120, cell: ({ role }) => wordOf(role) },
    { id: 'state', title: 'State', width: 90, when: 'wide', cell: ({ state }) => wordOf(state) },
    { id: 'mfa', title: 'Second factor', width: 120, when: 'roomy', cell: ({ mfa }) => factorWord(mfa) },
    {
      id: 'login',
      title: 'Last sign-in',
      width: 130,
      when: 'wide',
      cell: ({ last_login_at }) => <Moment time={last_login_at} empty="never" />,
    },
  ],
  add: null,
  edit: {
    method: 'PATCH',
    under: '/role',
    fields: [
      {
        name: 'role',
        label: 'Role',
        kind: 'choice',
        options: grantable(own),
        words: wordOf,
        isNeeded: true,
        hint: 'In force within a minute.',
      },
    ],
  },
  actions: [],
  removal: { verb: 'Remove', follows: 'They lose access at once. What they did keeps their name.' },
  details: (person) => (
    <Facts
      of={[
        ['E-mail address', person.email],
        ['Role', wordOf(person.role)],
        ['State', wordOf(person.state)],
        ['Second factor', factorWord(person.mfa)],
        ['Member since', <Moment time={person.created_at} />],
        ['Last sign-in', <Moment time={person.last_login_at} empty="never" />],
      ]}
    />
  ),
  head: (reload) => <Invite invited={reload} />,
  empty: 'Nobody is here.',
});

/** Who is in the tenant, with which role. */
export const People = () => <ManagedList of={peopleOf(me.value?.role ?? 'viewer')} />;
