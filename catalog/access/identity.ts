import { AccessEstate } from './edges/estate.js';
import { Escalations } from './edges/escalate.js';
import { RunsAs } from './edges/runs.js';
import type { Escalation } from './escalations.js';
import { decide } from './decide.js';
import { administers } from './administers.js';
import { grantsOf } from './held.js';
import type { AccessModel } from './model.js';
import type { Answer, Grant, Said } from './types.js';

/** Who an identity may act as. */
export interface Assumable {
  identity_uid: string;
  answer: Exclude<Answer, 'denied'>;
  by: Said[];
}

/** An escalation that is open to an identity. */
export interface FoundEscalation {
  id: string;
  title: string;
  answer: Exclude<Answer, 'denied'>;
  /** What it leads to: an administrator's rights, or other identities. */
  to: Escalation['to'];
  /** The identities that are won; none where it is any, or an administrator. */
  identity_uids: string[];
  needs: string[];
  by: Said[];
  reference: string;
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
  const admin = administers(access, uid);
  const may_assume = assumedBy(model, provider, uid);
  return {
    admin,
    grants,
    grants_cut: cut,
    may_assume,
    // who may do everything gains nothing
    escalations: admin === 'allowed' ? [] : escalationsOf(model, provider, uid),
    unseen: [...new Set(held.unseen)],
    assumed: [...held.assumed],
  };
}

function escalationsOf(model: AccessModel, provider: string, uid: string): FoundEscalation[] {
  const estate = new AccessEstate(model, provider);
  const isAdministrator = (other: string) => administers(estate.access, other) === 'allowed';
  const ways = new Escalations(estate, new RunsAs(model, provider), isAdministrator).open(uid, estate.access.ownOf(uid));
  return ways.map(({ escalation: { id, title, to, needs, reference }, answer, won, by }) => {
    return { id, title, answer, to, identity_uids: [...won], needs, by: [...by], reference };
  });
}

/** Whom an identity may act as, those that are sure first. */
function assumedBy(model: AccessModel, provider: string, uid: string): Assumable[] {
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
