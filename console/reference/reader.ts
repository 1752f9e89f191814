/** Who reads the page. */
export interface Reader {
  readonly isIn: boolean;
  readonly email: string;
  /** The name of the tenant that they act in. */
  readonly tenant: string;
}

/** Leads through the sign-in back to this very place. */
export const signInHref = (): string =>
  `/auth/login?${new URLSearchParams({ return_to: `${location.pathname}${location.hash}` }).toString()}`;

export const NOBODY: Reader = { isIn: false, email: '', tenant: '' };

/** Looks who is signed in; nobody is no mistake here, for the page is everybody's. */
export async function findReader(): Promise<Reader> {
  const answer = await fetch('/api/v1/users/me', { headers: { accept: 'application/json' } }).catch(() => null);
  if (!answer?.ok) return NOBODY;
  const { email, tenant_id, tenants } = (await answer.json()) as {
    email: string;
    tenant_id: string;
    tenants: readonly { tenant_id: string; name: string }[];
  };
  return { isIn: true, email, tenant: tenants.find((one) => one.tenant_id === tenant_id)?.name ?? tenant_id };
}
