import { escalationsOf, type FoundEscalation } from './escalations.js';
import { decide } from './decide.js';
import { administers, grantsOf } from './held.js';
import type { AccessModel } from './model.js';
import type { Answer, Grant, Said } from './types.js';

/** Who an identity may act as. */
export interface Assumable {
  identity_uid: string;
  answer: Exclude<Answer, 'denied'>;
  by: Said[];
}

/** What an identity may do. */
export interface IdentityAccess {
  /** Whether nothing is forbidden to it in a whole account, subscription, project or cluster. */
  admin: Answer;
  grants: Grant[];
  /** Whether there are more grants than are told. */
  grants_cut: boolean;
  may_assume: Assumable[];
  escalations: FoundEscalation[];
  /** Policies and roles that count and that the inventory does not show. */
  unseen: string[];
  /** What the answers take for granted. */
  assumed: string[];
}

/** Identities that one is told to act as at most. */
const MOST_ASSUMED = 500;

/** What an identity may do, whom it may act as, and by what it comes to more rights than it was given. */
export function accessOf(model: AccessModel, provider: string, uid: string): IdentityAccess {
  const access = model.of(provider);
  const held = access.heldBy(uid);
  const { grants, cut } = grantsOf(held, access.privileges);
  const admin = administers(grants, access.privileges, held.unseen);
  const may_assume = assumedBy(model, provider, uid);
  return {
    admin,
    grants,
    grants_cut: cut,
    may_assume,
    // who may do everything gains nothing
    escalations: admin === 'allowed' ? [] : escalationsOf(model, provider, uid, held),
    unseen: [...new Set(held.unseen)],
    assumed: [...held.assumed],
  };
}

/** Whom an identity may act as, those that are sure first. */
export function assumedBy(model: AccessModel, provider: string, uid: string): Assumable[] {
  const access = model.of(provider);
  const found = new Map<string, Assumable>();
  for (const { type, action } of access.privileges.assumed) {
    for (const target of model.ofTypes(type)) {
      if (target === uid || found.get(target)?.answer === 'allowed') continue;
      const { answer, by } = decide(access.weigh(uid, action, target));
      if (answer !== 'denied' && found.size < MOST_ASSUMED) found.set(target, { identity_uid: target, answer, by });
    }
  }
  return [...found.values()].sort((a, b) => a.answer.localeCompare(b.answer) || (a.identity_uid < b.identity_uid ? -1 : 1));
}
