import { matchesPattern, type Statement } from '../../cel/policy.js';
import type { DocumentEstate, Identity } from './estate.js';

/** Who asks: an identity of the inventory, or somebody whom only a name tells. */
export interface Caller {
  who: string;
  identity: Identity | undefined;
  account: string | undefined;
  /** Names of who asks, as policies write them; none for anybody. */
  names: readonly string[];
  /** A program of the provider, or one from another source of identities, which has no policies of its own. */
  outside: boolean;
}

/** How a resource policy names a caller: in person, by their account, or not at all. */
export type Named = 'person' | 'account' | 'session' | 'unknown' | undefined;

/** Who asks, and how statements of resources name them. */
export class Callers {
  constructor(private readonly estate: DocumentEstate) {}

  /** Who is meant by a uid, or by a name as policies write it. */
  of(who: string): Caller {
    const identity =
      this.estate.identities.get(who) ?? this.estate.identities.get(this.estate.find(who, undefined, ['user', 'role']) ?? '');
    if (identity !== undefined) {
      const asset = this.estate.assets.get(identity.uid)!;
      return { who: identity.uid, identity, account: identity.account, names: this.estate.namesOf(asset), outside: false };
    }
    const outside = /^(?:Service|Federated|CanonicalUser|Outside):/.test(who);
    const name = who.replace(/^Outside:/, '');
    const account = who === name ? undefined : this.estate.accountIn(name);
    if (account !== undefined) return { who, identity: undefined, account, names: [name], outside };
    const names = who === '*' ? [] : [who];
    return { who, identity: undefined, account: outside ? undefined : this.estate.accountIn(who), names, outside: outside || who === '*' };
  }

  /** How a statement names a caller. */
  named({ principals, not_principals, effect }: Statement, caller: Caller): Named {
    if (not_principals.length > 0) {
      const left = this.namedIn(not_principals, caller);
      if (left === 'unknown') return 'unknown';
      return left === undefined ? (effect === 'Allow' || effect === 'Deny' ? 'person' : undefined) : undefined;
    }
    return this.namedIn(principals, caller);
  }

  private namedIn(principals: Statement['principals'], caller: Caller): Named {
    let found: Named;
    for (const principal of principals) {
      const named = this.isNamed(principal, caller);
      if (named === 'person') return named;
      found = found === undefined || found === 'unknown' ? (named ?? found) : found;
    }
    return found;
  }

  private isNamed(principal: string | undefined, caller: Caller): Named {
    if (principal === undefined) return caller.who === '*' ? undefined : 'unknown';
    if (principal === '*' || principal === caller.who) return 'person';
    const kind = `${this.estate.table.principals}:`;
    if (!principal.startsWith(kind)) return undefined;
    const name = this.estate.resolved(principal.slice(kind.length));
    if (name === null) return caller.who === '*' || caller.outside ? undefined : 'unknown';
    // a name that is built leaves open what nothing tells
    if (caller.names.some((own) => matchesPattern(own, name))) return 'person';
    const { account, identity } = caller;
    if (account !== undefined && (name === account || this.estate.isWholeAccount(name, account))) return 'account';
    const session = /:sts::(\d+):assumed-role\/([^/]+)\//.exec(name);
    const asset = identity && this.estate.assets.get(identity.uid);
    return session && session[1] === account && session[2] === asset?.configuration['name'] ? 'session' : undefined;
  }
}
