import { matchesPattern } from '../../cel/policy.js';
import type { Principal } from '../provider.js';
import type { Caller } from './callers.js';
import type { DocumentEstate } from './estate.js';

/** Finds the resources whose policies give something to a caller, without a look at all of them. */
export class NamedCallers {
  private readonly byName = new Map<string, Set<string>>();
  private readonly byAccount = new Map<string, Set<string>>();
  /** Resources that name everybody, and those of which nothing tells whom they name. */
  readonly everybody = new Set<string>();
  readonly open = new Set<string>();

  constructor(private readonly estate: DocumentEstate) {
    for (const [uid, { statements }] of estate.ofResource)
      for (const { statement } of statements) {
        if (statement.effect !== 'Allow') continue;
        if (statement.not_principals.length > 0) this.open.add(uid);
        for (const principal of statement.principals) this.note(uid, principal);
      }
  }

  /** Resources that name a caller in person or by a pattern, or an account of somebody that a session is of. */
  inPerson({ who, names, account }: Caller): string[] {
    const found = new Set(this.open);
    for (const name of [who, ...names]) for (const uid of this.byName.get(name.toLowerCase()) ?? []) found.add(uid);
    for (const uid of (account !== undefined && this.byName.get(`session ${account}`)) || []) found.add(uid);
    return [...found].sort();
  }

  /** Resources that name an account as a whole. */
  ofAccount(account: string): readonly string[] {
    return [...(this.byAccount.get(account) ?? [])];
  }

  /** Whom the policies of a resource allow something, each once. What their source does not know yet names nobody. */
  principalsOf(uid: string): Principal[] {
    const found = new Map<string, Principal>();
    const add = (kind: Principal['kind'], name: string) => void found.set(`${kind} ${name}`, { kind, name });
    for (const { statement } of this.estate.ofResource.get(uid)?.statements ?? []) {
      if (statement.effect !== 'Allow') continue;
      if (statement.not_principals.length > 0) add('everybody', '*');
      for (const principal of statement.principals) if (principal !== undefined) this.meant(principal, add);
    }
    return [...found.values()];
  }

  private meant(principal: string, add: (kind: Principal['kind'], name: string) => void): void {
    const { estate } = this;
    if (principal === '*') return add('everybody', '*');
    const kind = `${estate.table.principals}:`;
    if (!principal.startsWith(kind)) return add('stranger', principal);
    const name = estate.resolved(principal.slice(kind.length));
    if (name === null) return;
    const account = estate.accountIn(name);
    if (account !== undefined && (name === account || estate.isWholeAccount(name, account))) return add('account', account);
    if (/[*?]/.test(name)) {
      for (const uid of estate.identitiesIn(account ?? ''))
        if (estate.namesOf(estate.assets.get(uid)!).some((own) => matchesPattern(name, own))) add('identity', uid);
      return;
    }
    const role = /:assumed-role\/([^/]+)\//.exec(name)?.[1];
    const found = role === undefined ? estate.find(name, undefined, ['user', 'role']) : estate.find(role, account, ['role']);
    if (found !== undefined && estate.identities.has(found)) add('identity', found);
    else if (account !== undefined && estate.identitiesIn(account).length === 0) add('stranger', `Outside:${name}`);
  }

  private note(uid: string, principal: string | undefined): void {
    if (principal === undefined) return void this.open.add(uid);
    if (principal === '*') return void this.everybody.add(uid);
    const kind = `${this.estate.table.principals}:`;
    if (!principal.startsWith(kind)) return add(this.byName, principal.toLowerCase(), uid);
    const name = this.estate.resolved(principal.slice(kind.length));
    if (name === null || /[*?]/.test(name)) return void this.open.add(uid);
    const account = this.estate.accountIn(name);
    const [, session] = /:sts::(\d+):assumed-role\//.exec(name) ?? [];
    if (session !== undefined) add(this.byName, `session ${session}`, uid);
    else if (account !== undefined && (name === account || this.estate.isWholeAccount(name, account))) add(this.byAccount, account, uid);
    else add(this.byName, name.toLowerCase(), uid);
  }
}

function add(map: Map<string, Set<string>>, key: string, value: string): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, new Set([value]));
  else known.add(value);
}
