import { covers, overlap } from './pattern.js';
import type { PrivilegeTable } from './table.js';
import { PRIVILEGES, type Patterns, type Privilege } from './types.js';

type Parts = readonly [service: string, verb: string];

function split(pattern: string, separator: string): Parts {
  const at = pattern.lastIndexOf(separator);
  return at < 0 ? [pattern, pattern === '*' ? '*' : ''] : [pattern.slice(0, at), pattern.slice(at + separator.length)];
}

const both = (left: Parts, right: Parts, holds: (a: string, b: string) => boolean): boolean =>
  holds(left[0], right[0]) && holds(left[1], right[1]);

const known = new WeakMap<Patterns, Privilege>();

/** The most that the actions of a statement let their holder do; what is not known yet counts as nothing. */
export function privilegeOf(table: PrivilegeTable, actions: Patterns): Privilege {
  const privilege = known.get(actions) ?? read(table, actions);
  known.set(actions, privilege);
  return privilege;
}

function read(table: PrivilegeTable, { include, exclude }: Patterns): Privilege {
  const { separator } = table;
  const out = exclude
    .filter((pattern): pattern is string => pattern !== null && !table.apart.includes(pattern))
    .map((pattern) => split(pattern, separator));
  let most = 0;
  for (const action of include) {
    if (action === null) continue;
    const own = split(action, separator);
    const isLeft = (pattern: string) => !out.some((one) => both(one, split(pattern, separator), covers));
    if ((action === '*' || action === '*:*') && out.length === 0) return 'admin';
    if (table.admin.some((pattern) => both(own, split(pattern, separator), covers) && isLeft(pattern))) return 'admin';
    const isRead = table.read.some((pattern) => both(split(pattern, separator), own, covers));
    const gives = () => table.manage_access.some((pattern) => both(own, split(pattern, separator), overlap) && isLeft(pattern));
    const privilege: Privilege = isRead ? 'read' : gives() ? 'manage_access' : 'write';
    most = Math.max(most, PRIVILEGES.indexOf(privilege));
  }
  return PRIVILEGES[most]!;
}
