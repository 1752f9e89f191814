/**
 * Who may do what: the permission matrix of the specification ("Permissions"), which is the only source (decision 13),
 * and its roles. Nothing is allowed by default.
 */

/** The five roles, widest first (specification, "Roles"). */
export const ROLES = ['platform_admin', 'org_admin', 'tenant_admin', 'analyst', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

const EVERYONE = ROLES;
const NOT_VIEWERS = ['platform_admin', 'org_admin', 'tenant_admin', 'analyst'] as const;
const ADMINS = ['platform_admin', 'org_admin', 'tenant_admin'] as const;
const OWNERS = ['platform_admin', 'org_admin'] as const;

/** Permission -> the roles that hold it. */
export const PERMISSION_MATRIX = {
  'discoveries:read': EVERYONE,
  'inventory:read': EVERYONE,
  'check:read': EVERYONE,
  'threat:read': EVERYONE,
  'compliance:read': EVERYONE,
  'iam:read': EVERYONE,
  'network:read': EVERYONE,
  'risk:read': EVERYONE,
  'reports:read': EVERYONE,
  'scans:read': EVERYONE,
  'vulnerability:read': NOT_VIEWERS,
  'datasec:read': NOT_VIEWERS,
  'container:read': NOT_VIEWERS,
  'dbsec:read': NOT_VIEWERS,
  'ai_security:read': NOT_VIEWERS,
  'encryption:read': NOT_VIEWERS,
  'secops:read': NOT_VIEWERS,
  'ciem:read': NOT_VIEWERS,
  'scans:create': NOT_VIEWERS,
  'reports:write': NOT_VIEWERS,
  'tenants:read': ADMINS,
  'tenants:write': ADMINS,
  'users:read': ADMINS,
  'users:write': ADMINS,
  'accounts:read': ADMINS,
  'accounts:write': OWNERS,
  'billing:read': OWNERS,
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof PERMISSION_MATRIX;

/** The 27 permissions in the order of the specification. */
export const PERMISSIONS = Object.keys(PERMISSION_MATRIX) as Permission[];

/**
 * What the operator's staff may do under a support access (decision 15): read, triage and scan. Users, roles, invites, API keys and settings
 * are changed by the customer alone.
 */
export const SUPPORT_PERMISSIONS: readonly Permission[] = PERMISSIONS.filter(
  (permission) => permission.endsWith(':read') || permission === 'scans:create',
);

export const isPermission = (text: string): text is Permission => Object.hasOwn(PERMISSION_MATRIX, text);

/** The permissions that `role` holds, in the order of the specification. */
export function permissionsOf(role: Role): Permission[] {
  return PERMISSIONS.filter((permission) => (PERMISSION_MATRIX[permission] as readonly Role[]).includes(role));
}
