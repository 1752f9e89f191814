import { wordOf } from '../format.js';
import { ManagedList } from '../parts/managed-list.js';
import type { Managed } from '../parts/managed.js';
import { Facts, Moment } from '../parts/text.js';
import { Invite } from './invite.js';

/** `GET /invites`. */
interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: string;
  readonly state: 'pending' | 'accepted' | 'expired' | 'revoked';
  readonly invited_by: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly accepted_at: string | null;
}

const INVITATIONS: Managed<Invitation> = {
  one: 'invitation',
  many: 'invitations',
  path: '/api/v1/invites',
  writes: 'users:write',
  idOf: ({ id }) => id,
  titleOf: ({ email }) => email,
  columns: [
    { id: 'role', title: 'Role', width: 120, cell: ({ role }) => wordOf(role) },
    { id: 'state', title: 'State', width: 100, cell: ({ state }) => wordOf(state) },
    { id: 'by', title: 'Invited by', width: 220, when: 'roomy', cell: ({ invited_by }) => invited_by },
    { id: 'expires', title: 'Link ends', width: 120, when: 'wide', cell: ({ expires_at }) => <Moment time={expires_at} /> },
  ],
  add: null,
  edit: null,
  actions: [
    { label: 'Make a new link', method: 'POST', under: '/reissue', when: ({ state }) => state === 'pending' || state === 'expired' },
  ],
  removal: {
    verb: 'Revoke',
    follows: 'Its link leads nowhere from now on.',
    when: ({ state }) => state === 'pending' || state === 'expired',
  },
  once: (answer) => (answer as { link?: string | null } | null)?.link ?? null,
  details: (invitation) => (
    <Facts
      of={[
        ['Role', wordOf(invitation.role)],
        ['State', wordOf(invitation.state)],
        ['Invited by', invitation.invited_by],
        ['Invited', <Moment time={invitation.created_at} />],
        ['Link ends', <Moment time={invitation.expires_at} />],
        ['Accepted', invitation.accepted_at && <Moment time={invitation.accepted_at} />],
      ]}
    />
  ),
  head: (reload) => <Invite invited={reload} />,
  empty: 'Nobody was invited yet.',
};

/** Who was invited, and what became of it. */
export const Invitations = () => <ManagedList of={INVITATIONS} />;
