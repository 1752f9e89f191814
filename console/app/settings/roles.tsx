import type { Role } from '../../../schema/permissions.js';
import { wordOf } from '../format.js';
import { ShortTable } from '../parts/columns.js';
import { Answer } from '../parts/states.js';
import { useAsk } from '../use-ask.js';

/** `GET /roles`. */
interface RoleMatrix {
  readonly roles: readonly {
    readonly role: Role;
    readonly level: string;
    readonly scope: string;
    readonly permissions: readonly string[];
  }[];
  readonly permissions: readonly string[];
}

/** What each role may do. */
export function Roles() {
  const matrix = useAsk<RoleMatrix>('/api/v1/roles');
  return (
    <div class="page matrix" tabIndex={0} role="region" aria-label="roles">
      <Answer asked={matrix} what="the roles">
        {({ roles, permissions }) => (
          <ShortTable
            label="Permissions by role"
            rows={permissions}
            keyOf={(permission) => permission}
            columns={[
              { id: 'permission', title: 'Permission', cell: (permission) => <code>{permission}</code> },
              ...roles.map(({ role, permissions: held }) => ({
                id: role,
                title: wordOf(role),
                width: 110,
                cell: (permission: string) =>
                  held.includes(permission) ? <span title={`${wordOf(role)} has ${permission}`}>yes</span> : <span class="soft">–</span>,
              })),
            ]}
          />
        )}
      </Answer>
    </div>
  );
}
