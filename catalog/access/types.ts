/** How sure an answer is: `conditional` hangs on something that only the call itself tells, `unknown` on what the inventory does not show. */
export type Answer = 'allowed' | 'conditional' | 'unknown' | 'denied';

/** What a right lets its holder do, the mildest first. */
export const PRIVILEGES = ['read', 'write', 'manage_access', 'admin'] as const;
export type Privilege = (typeof PRIVILEGES)[number];

/** Texts with `*` and `?`; null for one that the source does not know yet. */
export interface Patterns {
  include: readonly (string | null)[];
  /** What the patterns leave out. Empty for most. */
  exclude: readonly (string | null)[];
}

/** One statement, binding or assignment in a form that all providers share. */
export interface AccessRule {
  /** The resource that says it. */
  uid: string;
  /** What names it inside the resource, for people. */
  label: string;
  effect: 'allow' | 'deny';
  actions: Patterns;
  resources: Patterns;
  /** Decided as far as the question tells: yes or no, or undefined where only the call itself will. */
  condition(call: Call): boolean | undefined;
  /** Groups and roles through which it comes to who is asked about, the nearest first. */
  via: readonly string[];
}

/** Who does what on which resource, in the words of the provider. */
export interface Call {
  /** The identity's uid, or the provider's name of somebody whom the inventory does not show. */
  who: string;
  /** Names of who acts, as conditions and resource policies write them. */
  principal: readonly string[];
  account: string | undefined;
  action: string;
  /** Names of the resource, in any of which a rule may hold it. */
  resources: readonly string[];
}

/** Rules of which one must allow, or the call is refused. */
export interface Gate {
  /** What it is: `identity policies`, `resource policy`, `permissions boundary`, `service control policies` ... */
  name: string;
  rules: readonly AccessRule[];
  /** Policies that count here and that the inventory does not show. */
  unseen: readonly string[];
}

/** All that decides about a call. */
export interface Weighed {
  call: Call;
  gates: readonly Gate[];
  denials: readonly AccessRule[];
  /** What the answer takes for granted because nobody showed it. */
  assumed: readonly string[];
}

/** A statement as an answer names it. */
export interface Said {
  resource_uid: string;
  statement: string;
}

export interface Decision {
  answer: Answer;
  reason: string;
  /** What allows it, or what forbids it. */
  by: Said[];
  assumed: string[];
}

/** What an identity is given by one statement, after all that takes it away again. */
export interface Grant {
  privilege: Privilege;
  actions: string[];
  not_actions: string[];
  resources: string[];
  not_resources: string[];
  answer: Exclude<Answer, 'denied'>;
  granted_by: Said;
  via: string[];
  /** Denials, boundaries and policies of the organization that take part of it away. */
  limited_by: Said[];
}
