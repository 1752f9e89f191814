import type { Statement } from '../../cel/policy.js';
import { conditionsHold } from '../conditions.js';
import { EVERYTHING } from '../pattern.js';
import type { AccessRule, Gate, Patterns } from '../types.js';
import { managedDocument } from './managed.js';
import type { Document, DocumentEstate, Identity, Placed } from './estate.js';

/** What policies come to. */
export interface Own {
  allows: AccessRule[];
  denials: AccessRule[];
  unseen: string[];
}
const nothing = (): Own => ({ allows: [], denials: [], unseen: [] });

/** The policies of the organization that count for an account, level by level. */
export interface Levels {
  gates: Gate[];
  denials: AccessRule[];
  shown: boolean;
}
export const NO_POLICIES: Readonly<Own> = nothing();

export const NO_ORGANIZATION = 'no policy of an organization forbids it';

/** The rules that policies of identities, boundaries and of the organization come to, each read once. */
export class PolicyRules {
  private readonly own = new Map<string, Own>();
  private readonly bounded = new Map<string, { gate: Gate; denials: AccessRule[] }>();
  private readonly levels = new Map<string | undefined, Levels>();
  private readonly rules = new Map<Placed, AccessRule[]>();

  constructor(private readonly estate: DocumentEstate) {}

  /** What the policies of an identity and of its groups say. */
  policiesOf(identity: Identity): Own {
    const known = this.own.get(identity.uid);
    if (known !== undefined) return known;
    const own = nothing();
    this.own.set(identity.uid, own);
    for (const holder of [identity, ...new Set(identity.groups)]) {
      const held = typeof holder === 'string' ? this.estate.identities.get(holder) : holder;
      if (held === undefined) {
        own.unseen.push(String(holder));
        continue;
      }
      const via = held === identity ? [] : [held.uid];
      this.addDocument(own, held.own, via);
      for (const policy of new Set(held.policies)) this.addPolicy(own, policy, via);
    }
    return own;
  }

  /** What the boundaries of an identity admit; undefined where it has none. */
  boundaryOf(identity: Identity): { gate: Gate; denials: AccessRule[] } | undefined {
    if (identity.boundaries.length === 0) return undefined;
    const key = identity.boundaries.join('\n');
    const known = this.bounded.get(key);
    if (known !== undefined) return known;
    const own = nothing();
    for (const policy of identity.boundaries) this.addPolicy(own, policy, []);
    const boundary = { gate: { name: 'permissions boundary', rules: own.allows, unseen: own.unseen }, denials: own.denials };
    this.bounded.set(key, boundary);
    return boundary;
  }

  /** Each policy of the organization that counts for an account, level by level; none for the account that manages it. */
  levelsOf(account: string | undefined): Levels {
    const known = this.levels.get(account) ?? this.readLevels(account);
    this.levels.set(account, known);
    return known;
  }

  private readLevels(account: string | undefined): Levels {
    const { organization, units, masters, table } = this.estate;
    const shown = organization.size > 0;
    if (account === undefined || masters.has(account)) return { gates: [], denials: [], shown: shown || masters.has(account ?? '') };
    const gates: Gate[] = [];
    const denials: AccessRule[] = [];
    const seen = new Set<string>();
    for (let at: string | undefined = account; at !== undefined && !seen.has(at); at = units.get(at)) {
      seen.add(at);
      const level: Gate & { rules: AccessRule[]; unseen: string[] } = { name: table.organization.name, rules: [], unseen: [] };
      let decides = false;
      for (const [uid, { kind, targets }] of organization) {
        if (!targets.includes(at)) continue;
        const document = this.estate.policies.get(uid)!;
        const rules = document.statements.flatMap((placed) => this.rule(placed, []));
        if (table.organization.deny.includes(kind)) denials.push(...rules.filter(({ effect }) => effect === 'deny'));
        if (!table.organization.allow.includes(kind)) continue;
        decides = true;
        level.rules.push(...rules.filter(({ effect }) => effect === 'allow'));
        level.unseen.push(...document.unseen);
      }
      if (decides) gates.push(level);
    }
    return { gates, denials, shown };
  }

  private addDocument(own: Own, { statements, unseen }: Document, via: readonly string[]): void {
    for (const placed of statements)
      for (const rule of this.rule(placed, via)) (rule.effect === 'allow' ? own.allows : own.denials).push(rule);
    own.unseen.push(...unseen);
  }

  private addPolicy(own: Own, policy: string, via: readonly string[]): void {
    const document = this.estate.policies.get(policy);
    if (document !== undefined) return this.addDocument(own, document, via);
    const { prefix, policies } = this.estate.table.managed;
    const name = prefix.test(policy) ? policy.replace(prefix, '') : undefined;
    const written = name === undefined ? undefined : managedDocument(this.estate.table.provider, name, policy);
    if (written !== undefined) return this.addDocument(own, written, via);
    const managed = name === undefined ? undefined : policies[name];
    if (managed === undefined) own.unseen.push(policy);
    for (const { allow, allow_all_but } of managed ?? [])
      own.allows.push({
        uid: policy,
        label: 'managed policy',
        effect: 'allow',
        actions: allow.length > 0 ? { include: allow, exclude: [] } : { include: ['*'], exclude: allow_all_but },
        resources: EVERYTHING,
        condition: () => true,
        via,
      });
  }

  /** A statement as a rule; none for one whose effect is no effect. */
  rule(placed: Placed, via: readonly string[], resources?: Patterns): AccessRule[] {
    const known = this.rules.get(placed) ?? this.readRule(placed);
    this.rules.set(placed, known);
    return via.length === 0 && resources === undefined
      ? known
      : known.map((rule) => ({ ...rule, via, resources: resources ?? rule.resources }));
  }

  private readRule({ uid, label, statement }: Placed): AccessRule[] {
    const effect = statement.effect.toLowerCase();
    if (effect !== 'allow' && effect !== 'deny') return [];
    return [
      {
        uid,
        label,
        effect,
        actions: this.patterns(statement.actions, statement.not_actions),
        resources: this.patterns(statement.resources, statement.not_resources, statement.principals.length > 0),
        condition: (call) => conditionsHold(statement.conditions, call),
        via: [],
      },
    ];
  }

  private patterns(include: Statement['actions'], exclude: Statement['actions'], everything = false): Patterns {
    const read = (list: Statement['actions']) => list.map((pattern) => this.estate.resolved(pattern));
    if (exclude.length > 0) return { include: ['*'], exclude: read(exclude) };
    return include.length === 0 && everything ? EVERYTHING : { include: read(include), exclude: [] };
  }
}
