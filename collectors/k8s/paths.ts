/** The version of each group that is asked: the one that every cluster of today has. The core group has the empty name. */
const VERSION = 'v1';

/** Where the objects of a permission, `apps/deployments`, are listed in all namespaces. */
export function pathOf(permission: string): string {
  const [group, resource] = permission.split('/') as [string, string];
  return group === '' ? `/api/${VERSION}/${resource}` : `/apis/${group}/${VERSION}/${resource}`;
}

/** How recorded answers name the call. */
export const sourceOf = (permission: string): string => `kubectl get ${permission.split('/')[1]} --all-namespaces -o json`;
