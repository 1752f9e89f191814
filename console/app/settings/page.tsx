import type { ComponentType } from 'preact';
import type { Permission } from '../../../schema/permissions.js';
import { hrefOf } from '../address.js';
import { ListPage } from '../parts/list-page.js';
import { NotAllowed } from '../parts/states.js';
import { address } from '../place.js';
import { can } from '../session.js';
import { Account } from './account.js';
import { AuditLog } from './audit-log.js';
import { Domains } from './domains.js';
import { Integrations } from './integrations.js';
import { Invitations } from './invitations.js';
import { Keys } from './keys.js';
import { Mfa } from './mfa.js';
import { NotificationRules } from './notification-rules.js';
import { People } from './people.js';
import { RiskFigures } from './risk.js';
import { Roles } from './roles.js';
import { Siem } from './siem.js';
import { Sla } from './sla.js';
import { Sso } from './sso.js';
import { Webhooks } from './webhooks.js';

interface Tab {
  readonly name: string;
  readonly title: string;
  readonly needs: Permission | null;
  readonly View: ComponentType;
}

const TABS: readonly Tab[] = [
  { name: '', title: 'You', needs: null, View: Account },
  { name: 'people', title: 'People', needs: 'users:read', View: People },
  { name: 'invitations', title: 'Invitations', needs: 'users:read', View: Invitations },
  { name: 'roles', title: 'Roles', needs: 'users:read', View: Roles },
  { name: 'keys', title: 'API keys', needs: 'users:read', View: Keys },
  { name: 'mfa', title: 'MFA', needs: 'tenants:read', View: Mfa },
  { name: 'sso', title: 'SSO', needs: 'tenants:read', View: Sso },
  { name: 'domains', title: 'Domains', needs: 'tenants:read', View: Domains },
  { name: 'sla', title: 'SLA', needs: 'reports:read', View: Sla },
  { name: 'risk', title: 'Risk', needs: 'risk:read', View: RiskFigures },
  { name: 'notifications', title: 'Notifications', needs: 'tenants:read', View: NotificationRules },
  { name: 'integrations', title: 'Integrations', needs: 'tenants:read', View: Integrations },
  { name: 'webhooks', title: 'Webhooks', needs: 'tenants:read', View: Webhooks },
  { name: 'siem', title: 'SIEM', needs: 'tenants:read', View: Siem },
  { name: 'audit', title: 'Audit log', needs: 'tenants:read', View: AuditLog },
];

/** Who may do what here, and what they did. */
export function SettingsPage() {
  const [, asked = ''] = address.value.path;
  const tab = TABS.find(({ name }) => name === asked) ?? TABS[0]!;
  return (
    <ListPage
      title="Settings"
      tabs={TABS.map(({ name, title }) => ({
        title,
        href: hrefOf(name ? ['settings', name] : ['settings']),
        isCurrent: name === tab.name,
      }))}
    >
      {tab.needs && !can(tab.needs) ? <NotAllowed what={tab.title} permission={tab.needs} /> : <tab.View />}
    </ListPage>
  );
}
