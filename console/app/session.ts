import { signal } from '@preact/signals';
import type { Permission, Role } from '../../schema/permissions.js';
import { ask, send } from './api.js';

export type MfaMethod = 'none' | 'totp' | 'email';

/** Who looks (`GET /api/v1/users/me`). */
export interface Me {
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly mfa: MfaMethod;
  readonly tenant_id: string;
  readonly role: Role;
  readonly permissions: readonly Permission[];
  readonly tenants: readonly { readonly tenant_id: string; readonly name: string; readonly role: Role }[];
}

export const me = signal<Me | null>(null);

export async function loadMe(): Promise<void> {
  me.value = await ask<Me>('/api/v1/users/me');
}

/** All tabs share one cookie: where another one has switched the tenant, or somebody else has signed in there, this one begins anew. */
export async function keepUp(): Promise<void> {
  const before = me.value;
  if (!before) return;
  // what cannot be read now is seen the next time
  const now = await ask<Me>('/api/v1/users/me').catch(() => before);
  if (now.tenant_id !== before.tenant_id || now.user_id !== before.user_id) location.assign('/');
}

export const can = (permission: Permission): boolean => me.value?.permissions.includes(permission) ?? false;

export const tenantName = (): string => {
  const { tenants = [], tenant_id = '' } = me.value ?? {};
  return tenants.find((tenant) => tenant.tenant_id === tenant_id)?.name ?? tenant_id;
};

export async function signOut(): Promise<void> {
  await send('POST', '/api/auth/logout');
  location.assign('/auth/login');
}

/** Acts in another tenant from now on. Nothing of the one before stays on the page. */
export async function switchTenant(tenant_id: string): Promise<void> {
  await send('POST', '/api/auth/switch-tenant', { tenant_id });
  location.assign('/');
}
