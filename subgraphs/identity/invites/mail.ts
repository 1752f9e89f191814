import type { Mail } from '../../../kit/work/mail.js';
import type { TenantRow } from '../../../accounts/records.js';
import type { InviteRow } from '../../../accounts/invites.js';

/** One line of text: names are chosen by tenants and stand in a mail that we answer for. */
const line = (text: string) => text.replace(/\s+|\p{C}+/gu, ' ').trim();

/** The mail that brings an invitation's link. */
export const inviteMail = (invite: InviteRow, tenant: Pick<TenantRow, 'name'>, link: string): Mail => ({
  to: invite.email,
  subject: `Your invitation to ${line(tenant.name)} on Palisade`,
  text: `${line(invite.invited_by_email)} invites you to the tenant "${line(tenant.name)}" on Palisade, with the role ${invite.role}.

To accept, open this link:

${link}

It works once, until ${invite.expires_at.toUTCString()}. If you did not expect this, leave it: nothing happens without you.
`,
});
