import type { Role } from '../../../schema/permissions.js';
import { countText } from '../format.js';
import { SettingView, type Setting } from '../parts/setting.js';
import { Facts } from '../parts/text.js';

/** `GET /settings/mfa-policy`. */
interface MfaPolicy {
  readonly policy: 'all' | 'admins' | 'none';
  readonly always_required: readonly Role[];
  readonly users: number;
  readonly users_without_factor: number;
  readonly required_without_factor: number;
}

const WORDS: Readonly<Record<string, string>> = {
  all: 'Everybody',
  admins: 'Administrators',
  none: 'Nobody more than those who always do',
};

const MFA: Setting<MfaPolicy> = {
  what: 'who shows a second factor',
  path: '/api/v1/settings/mfa-policy',
  writes: 'tenants:write',
  fields: [
    {
      name: 'policy',
      label: 'Who shows a second factor',
      kind: 'choice',
      options: ['all', 'admins', 'none'],
      words: (policy) => WORDS[policy] ?? policy,
      isNeeded: true,
      hint: "It holds from everybody's next call.",
    },
  ],
  facts: ({ always_required, users, users_without_factor, required_without_factor }) => (
    <Facts
      of={[
        ['Always', always_required.map((role) => role.replaceAll('_', ' ')).join(', ')],
        ['People', countText(users)],
        ['Without one', countText(users_without_factor)],
        ['Asked at their next sign-in', countText(required_without_factor)],
      ]}
    />
  ),
};

export const Mfa = () => <SettingView of={MFA} />;
