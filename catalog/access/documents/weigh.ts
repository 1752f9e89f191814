import { matchesPattern, type Statement } from '../../cel/policy.js';
import type { InventoryResource } from '../../resource.js';
import { conditionsHold } from '../conditions.js';
import { EVERYTHING, only } from '../pattern.js';
import type { Held } from '../held.js';
import type { ProviderAccess } from '../provider.js';
import type { PrivilegeTable } from '../table.js';
import type { AccessRule, Call, Gate, Patterns, Weighed } from '../types.js';
import { Callers, type Caller } from './callers.js';
import type { Document, DocumentEstate, Identity, Placed } from './estate.js';

/** What the identity policies of a caller come to. */
interface Own {
  rules: AccessRule[];
  unseen: string[];
}

const NO_ORGANIZATION = 'no policy of an organization forbids it';

/** Weighs calls by the policy documents of one provider (AWS IAM User Guide, "Policy evaluation logic"; Alibaba Cloud RAM, "Policy evaluation"). */
export class DocumentAccess implements ProviderAccess {
  private readonly own = new Map<string, Own>();
  private readonly callers: Callers;

  constructor(private readonly estate: DocumentEstate) {
    this.callers = new Callers(estate);
  }

  get privileges(): PrivilegeTable {
    return this.estate.table.privileges;
  }

  get identities(): readonly string[] {
    return [...this.estate.identities.keys()];
  }

  heldBy(who: string): Held {
    const caller = this.callers.of(who);
    const { identity, names, account } = caller;
    const own = identity === undefined ? { rules: [], unseen: [] } : this.policiesOf(identity);
    const allows = own.rules.filter(({ effect }) => effect === 'allow');
    const denials = own.rules.filter(({ effect }) => effect === 'deny');
    for (const [uid, { statements }] of this.estate.ofResource) {
      const asset = this.estate.assets.get(uid);
      // what another account's resource gives takes a policy of one's own as well, which stands among the own ones
      if (asset === undefined || statements.length === 0 || this.estate.accountOf(asset) !== account || this.estate.identities.has(uid))
        continue;
      const there = only(...this.estate.namesOf(asset));
      for (const rule of this.saidTo(caller, asset).direct) allows.push({ ...rule, resources: there });
    }
    const boundary = identity && this.boundaryOf(identity);
    const levels = this.levelsOf(account);
    return {
      call: { who: caller.who, principal: names, account },
      allows,
      denials: [...denials, ...(boundary?.denials ?? []), ...levels.denials],
      limits: [...(boundary ? [boundary.gate] : []), ...levels.gates],
      unseen: own.unseen,
      assumed: levels.shown ? [] : [NO_ORGANIZATION],
    };
  }

  /**
   * What decides whether somebody may do something.
   * @param resource its uid, or its name as policies write it
   * @param session a policy that was passed when the session began
   */
  weigh(who: string, action: string, resource: string, session?: unknown): Weighed {
    const caller = this.callers.of(who);
    const uid = this.estate.assets.has(resource) ? resource : this.estate.find(baseOf(resource));
    const asset = uid === undefined ? undefined : this.estate.assets.get(uid);
    const resources = asset === undefined || resource !== asset.resource_uid ? [resource] : this.placesIn(asset, action);
    if (asset !== undefined && resource !== asset.resource_uid) resources.push(...this.sameInside(asset, resource));
    const call: Call = { who: caller.who, principal: caller.names, account: caller.account, action, resources };
    const owner = asset === undefined ? this.estate.accountIn(resource) : this.estate.accountOf(asset);
    return this.assemble(caller, call, asset, owner, session);
  }

  /** What the policies of an identity and of its groups say. */
  policiesOf(identity: Identity): Own {
    const known = this.own.get(identity.uid);
    if (known !== undefined) return known;
    const own: Own = { rules: [], unseen: [] };
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

  /** Each policy of the organization that counts for an account, level by level; none for the account that manages it. */
  levelsOf(account: string | undefined): { gates: Gate[]; denials: AccessRule[]; shown: boolean } {
    const { organization, units, masters, table } = this.estate;
    const shown = organization.size > 0;
    if (account === undefined || masters.has(account)) return { gates: [], denials: [], shown: shown || masters.has(account ?? '') };
    const gates: Gate[] = [];
    const denials: AccessRule[] = [];
    const seen = new Set<string>();
    for (let at: string | undefined = account; at !== undefined && !seen.has(at); at = units.get(at)) {
      seen.add(at);
      const level: Own = { rules: [], unseen: [] };
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
      if (decides) gates.push({ name: table.organization.name, ...level });
    }
    return { gates, denials, shown };
  }

  /** What the boundaries of an identity admit; undefined where it has none. */
  boundaryOf(identity: Identity): { gate: Gate; denials: AccessRule[] } | undefined {
    if (identity.boundaries.length === 0) return undefined;
    const own: Own = { rules: [], unseen: [] };
    for (const policy of identity.boundaries) this.addPolicy(own, policy, []);
    const gate = { name: 'permissions boundary', rules: own.rules.filter(({ effect }) => effect === 'allow'), unseen: own.unseen };
    return { gate, denials: own.rules.filter(({ effect }) => effect === 'deny') };
  }

  /** What the policies of a resource say to a caller. */
  saidTo(
    caller: Caller,
    asset: InventoryResource,
  ): { direct: AccessRule[]; byAccount: AccessRule[]; denials: AccessRule[]; unseen: string[] } {
    const document = this.estate.ofResource.get(asset.resource_uid) ?? { statements: [], unseen: [] };
    const owner = this.estate.accountOf(asset);
    const stranger = caller.account === undefined || caller.account !== owner;
    const restricts = this.estate.restricted.has(asset.resource_uid) || (owner !== undefined && this.estate.restricted.has(owner));
    const isPublic = ({ statement }: Placed) =>
      statement.effect === 'Allow' && statement.principals.includes('*') && statement.conditions.length === 0;
    // S3 shuts strangers out of a bucket whose policy is public, whatever else that says
    const shut = restricts && stranger && !caller.who.startsWith('Service:') && document.statements.some(isPublic);
    const direct: AccessRule[] = [];
    const byAccount: AccessRule[] = [];
    const denials: AccessRule[] = [];
    for (const placed of document.statements) {
      const named = this.callers.named(placed.statement, caller);
      if (named === undefined) continue;
      const inTrust = this.estate.identities.has(placed.uid);
      for (const rule of this.rule(placed, [], inTrust ? EVERYTHING : undefined)) {
        const own = named === 'unknown' ? { ...rule, actions: { include: [null], exclude: [] } } : rule;
        const sure = named === 'session' ? { ...own, condition: (call: Call) => own.condition(call) && undefined } : own;
        if (rule.effect === 'deny') denials.push(sure);
        else if (shut) continue;
        else (named === 'account' ? byAccount : direct).push(sure);
      }
    }
    return { direct, byAccount, denials, unseen: document.unseen };
  }

  private assemble(caller: Caller, call: Call, asset: InventoryResource | undefined, owner: string | undefined, session: unknown): Weighed {
    const said = asset === undefined ? { direct: [], byAccount: [], denials: [], unseen: [] } : this.saidTo(caller, asset);
    const { identity } = caller;
    const own = identity === undefined ? undefined : this.policiesOf(identity);
    const allows = (own?.rules ?? []).filter(({ effect }) => effect === 'allow');
    const foreign = owner !== undefined && caller.account !== undefined && owner !== caller.account;
    const decisive = this.estate.table.decisive.some(
      ({ type, actions }) => type.includes(asset?.resource_type ?? '') && matchesPattern(actions, call.action),
    );
    const assumed: string[] = [];
    const denials = [...said.denials, ...(own?.rules ?? []).filter(({ effect }) => effect === 'deny')];
    const policies: Gate = {
      name: 'identity policies',
      rules: allows,
      unseen: own?.unseen ?? (caller.outside ? [] : [`the policies of ${caller.who}`]),
    };
    const resource: Gate = { name: 'resource policy', rules: [...said.direct, ...said.byAccount], unseen: said.unseen };
    const gates: Gate[] = [];
    if (caller.outside) gates.push(resource);
    else if (foreign) gates.push(policies, resource);
    else {
      if (decisive) gates.push(resource);
      gates.push({
        name: policies.name,
        rules: [...allows, ...said.direct],
        unseen: [...policies.unseen, ...(decisive ? [] : said.unseen)],
      });
    }
    if (identity !== undefined) {
      const boundary = this.boundaryOf(identity);
      if (boundary !== undefined) {
        // what a resource policy gives to a user of the same account in person is not bounded; what it gives to a role is
        const past = identity.kind === 'user' && !foreign ? said.direct : [];
        gates.push({ ...boundary.gate, rules: [...boundary.gate.rules, ...past] });
        denials.push(...boundary.denials);
      }
    }
    if (session !== undefined) gates.push(this.sessionGate(session, denials));
    if (!caller.outside) {
      const levels = this.levelsOf(caller.account);
      if (!levels.shown) assumed.push(NO_ORGANIZATION);
      gates.push(...levels.gates);
      denials.push(...levels.denials);
    }
    if (own !== undefined && own.unseen.length > 0) assumed.push(...own.unseen.map((policy) => `${policy} forbids nothing`));
    if (foreign || caller.outside) denials.push(...this.levelsOf(owner).denials.filter(({ uid }) => this.isOfResources(uid)));
    return { call, gates, denials, assumed };
  }

  /** Whether a policy of the organization counts for resources, whoever asks. */
  private isOfResources = (uid: string): boolean =>
    !this.estate.table.organization.allow.includes(this.estate.organization.get(uid)?.kind ?? '');

  private sessionGate(session: unknown, denials: AccessRule[]): Gate {
    const rules = this.estate.statementsIn(session).flatMap((placed) => this.rule(placed, []));
    denials.push(...rules.filter(({ effect }) => effect === 'deny'));
    return { name: 'session policy', rules: rules.filter(({ effect }) => effect === 'allow'), unseen: [] };
  }

  private placesIn(asset: InventoryResource, action: string): string[] {
    const names = this.estate.namesOf(asset);
    const inside = this.estate.table.inside.find(
      ({ type, actions }) => type === asset.resource_type && actions.some((pattern) => matchesPattern(pattern, action)),
    );
    return inside === undefined ? names : names.map((name) => `${name}${inside.name}`);
  }

  /** What lies in a resource, under the resource's other names. */
  private sameInside(asset: InventoryResource, name: string): string[] {
    const base = baseOf(name);
    return this.estate.namesOf(asset).map((other) => `${other}${name.slice(base.length)}`);
  }

  private addDocument(own: Own, { statements, unseen }: Document, via: readonly string[]): void {
    for (const placed of statements) own.rules.push(...this.rule(placed, via));
    own.unseen.push(...unseen);
  }

  private addPolicy(own: Own, policy: string, via: readonly string[]): void {
    const document = this.estate.policies.get(policy);
    if (document !== undefined) return this.addDocument(own, document, via);
    const { prefix, policies } = this.estate.table.managed;
    const managed = prefix.test(policy) ? policies[policy.replace(prefix, '')] : undefined;
    if (managed === undefined) own.unseen.push(policy);
    for (const { allow, allow_all_but } of managed ?? [])
      own.rules.push({
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
  private rule({ uid, label, statement }: Placed, via: readonly string[], resources?: Patterns): AccessRule[] {
    const effect = statement.effect.toLowerCase();
    if (effect !== 'allow' && effect !== 'deny') return [];
    return [
      {
        uid,
        label,
        effect,
        actions: this.patterns(statement.actions, statement.not_actions),
        resources: resources ?? this.patterns(statement.resources, statement.not_resources, statement.principals.length > 0),
        condition: (call) => conditionsHold(statement.conditions, call),
        via,
      },
    ];
  }

  private patterns(include: Statement['actions'], exclude: Statement['actions'], everything = false): Patterns {
    const read = (list: Statement['actions']) => list.map((pattern) => this.estate.resolved(pattern));
    if (exclude.length > 0) return { include: ['*'], exclude: read(exclude) };
    return include.length === 0 && everything ? EVERYTHING : { include: read(include), exclude: [] };
  }
}

/** The resource in which something lies: what stands before the first slash behind the last colon. */
const baseOf = (name: string): string => (/^[a-z]+:[^/]*:s3:::|^acs:oss:/.test(name) ? (/^[^/]*/.exec(name)?.[0] ?? name) : name);
