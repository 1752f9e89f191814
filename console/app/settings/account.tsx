import { Section } from '../parts/section.js';
import { Facts } from '../parts/text.js';
import { me, tenantName } from '../session.js';
import { OwnFactor } from './own-factor.js';
import { OwnSessions } from './own-sessions.js';

/** Oneself: who one is here, what one may do, the second factor, and where one is signed in. */
export function Account() {
  const { name = '', email = '', role = '', permissions = [] } = me.value ?? {};
  return (
    <div class="page">
      <Facts
        of={[
          ['Name', name],
          ['E-mail address', email],
          ['Tenant', tenantName()],
          ['Role', role.replaceAll('_', ' ')],
        ]}
      />
      <OwnFactor />
      <OwnSessions />
      <Section title="What you may do">
        <p>
          {permissions.map((permission) => (
            <code class="tag" key={permission}>
              {permission}
            </code>
          ))}
        </p>
      </Section>
    </div>
  );
}
