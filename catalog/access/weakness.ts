import { decide } from './decide.js';
import { escalationsOf } from './escalations.js';
import { administers, grantsOf } from './held.js';
import type { AccessModel } from './model.js';

/** A way by which one step makes an identity an administrator. */
export interface WayUp {
  id: string;
  title: string;
  needs: string[];
  /** The administrators that it leads to; none where it makes one of the identity itself. */
  identity_uids: string[];
}

/** An identity that has every right, or stands one step away from it. */
export interface Weakness {
  identity_uid: string;
  /** The policies and roles that give every right; null for one that has not. */
  administers_by: string[] | null;
  ways: WayUp[];
}

/** Administrators that one way names at most. */
const MOST_WON = 100;

/** Finds who has every right and who comes to it in one step; what hangs on conditions or on what the inventory lacks counts for nothing. */
export class Weaknesses {
  private readonly known = new Map<string, string[] | null>();
  private found: ReadonlySet<string> | undefined;

  /** @param all the identities of the estate: a step may win the rights of those of them who have every right */
  constructor(
    private readonly model: AccessModel,
    private readonly provider: string,
    private readonly all: readonly string[],
  ) {}

  /** @returns null for an identity that is neither */
  of(identity_uid: string): Weakness | null {
    const administers_by = this.administersBy(identity_uid);
    if (administers_by !== null) return { identity_uid, administers_by, ways: [] };
    const ways = [...this.escalations(identity_uid), ...this.actingAs(identity_uid)];
    return ways.length === 0 ? null : { identity_uid, administers_by, ways };
  }

  private escalations(uid: string): WayUp[] {
    const held = this.model.of(this.provider).heldBy(uid);
    // of others' rights, those of administrators alone count
    return escalationsOf(this.model, this.provider, uid, held, this.administrators()).flatMap(
      ({ id, title, needs, answer, to, identity_uids }) => {
        if (answer !== 'allowed') return [];
        const won = identity_uids.filter((one) => this.administersBy(one) !== null);
        return to === 'administrator' || won.length > 0 ? [{ id, title, needs, identity_uids: won }] : [];
      },
    );
  }

  private actingAs(uid: string): WayUp[] {
    const access = this.model.of(this.provider);
    const needs = new Set<string>();
    const won = new Set<string>();
    for (const { type, action } of access.privileges.assumed) {
      const targets = new Set(this.model.ofTypes(type));
      for (const target of this.administrators()) {
        if (target === uid || !targets.has(target) || decide(access.weigh(uid, action, target)).answer !== 'allowed') continue;
        needs.add(action);
        won.add(target);
      }
    }
    if (won.size === 0) return [];
    return [{ id: 'act-as', title: 'Acts as an administrator', needs: [...needs], identity_uids: [...won].slice(0, MOST_WON) }];
  }

  private administrators(): ReadonlySet<string> {
    return (this.found ??= new Set(this.all.filter((uid) => this.administersBy(uid) !== null)));
  }

  private administersBy(uid: string): string[] | null {
    const known = this.known.get(uid);
    if (known !== undefined) return known;
    const access = this.model.of(this.provider);
    const held = access.heldBy(uid);
    const { grants } = grantsOf(held, access.privileges);
    const all = administers(grants, access.privileges, held.unseen) === 'allowed';
    const given = grants.filter(({ privilege }) => privilege === 'admin').map(({ granted_by }) => granted_by.resource_uid);
    const by = all ? [...new Set(given)] : null;
    this.known.set(uid, by);
    return by;
  }
}
