import type { Provider } from '../../../schema/model.js';
import type { Scope } from '../place.js';
import type { Privilege, Said } from '../types.js';

/** What an identity, or somebody whom the inventory does not show, may do. */
export interface AccessEdge {
  readonly kind: 'may_access' | 'may_assume' | 'escalates_to';
  readonly from: string;
  readonly to: string;
  /** What it may do there; null where it gets the rights of what the edge leads to. */
  readonly privilege: Privilege | null;
  /** Whether it hangs on something that only the call itself tells. */
  readonly conditional: boolean;
  /** Whether it takes for granted that policies which nobody showed forbid nothing. */
  readonly assumed: boolean;
  /** The statements that allow it. */
  readonly by: readonly Said[];
  /** The known way to more rights that it is; null for others. */
  readonly way: string | null;
  /** The accounts that its ends are in, each once; empty for one of which the inventory shows nothing. */
  readonly accounts: readonly string[];
}

/** What edges lead to beside resources: all resources of a scope, or the rights of an administrator. */
export interface AccessNode {
  readonly uid: string;
  readonly type: 'access_scope' | 'administrator';
  readonly provider: Provider;
  readonly account_id: string;
  readonly name: string;
  /** Of a scope: its resources, and what may be done to them. */
  readonly scope: (Omit<Scope, 'provider'> & { readonly privilege: Privilege }) | null;
}

/** Statements that one edge names at most. */
export const MOST_BY = 5;
/** Who is anybody. */
export const INTERNET = 'internet';

/** How somebody is called who has rights and is no resource of the inventory. */
export const outsider = (provider: string, name: string): string => `${provider}/outside/${name.replace(/^Outside:/, '')}`;

/** How the rights of an administrator of an account, subscription, project or cluster are called. */
export const administrator = (provider: string, account: string): string => `${provider}/${account}/administrator`;

/** Whether what an edge leads to is the rights of an administrator, and no resource. */
export const isAdministrator = (uid: string): boolean => /^[a-z0-9]+\/.*\/administrator$/.test(uid);
