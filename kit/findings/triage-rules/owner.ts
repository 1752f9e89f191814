import { permissionsOf, type Permission, type Role } from '../../../schema/permissions.js';
import { RULES_PERMISSION, type TriageRuleRow } from './records.js';

/** Why a rule does nothing, though it is not switched off; null when nothing stands against it. */
export function pausedBecause({ owner_id, updated_by }: TriageRuleRow, members: ReadonlyMap<string, Role>): string | null {
  const role = members.get(owner_id);
  if (!role) return `${updated_by}, who has set it, is no longer a member of the tenant.`;
  return permissionsOf(role).includes(RULES_PERMISSION)
    ? null
    : `${updated_by}, who has set it, lacks the permission ${RULES_PERMISSION} now.`;
}

/** Whether a member may read what asks for a permission. @param named a user's id or address */
export const mayRead = (members: ReadonlyMap<string, Role>, named: string, permission: Permission): boolean => {
  const role = members.get(named);
  return role !== undefined && permissionsOf(role).includes(permission);
};

/** The people of whom a rule depends, by id and address. */
export const peopleOf = (rules: readonly TriageRuleRow[]): string[] => [
  ...new Set(rules.flatMap(({ owner_id, assignee }) => (assignee === null ? [owner_id] : [owner_id, assignee]))),
];
