import { ROLES, type Role } from '../../../schema/permissions.js';

/** Roles up to one's own: nobody grants a wider one. */
export const grantable = (own: Role): readonly Role[] => ROLES.slice(ROLES.indexOf(own)).filter((role) => role !== 'platform_admin');
