import { matchesPattern, type Statement } from '../../cel/policy.js';
import type { InventoryResource } from '../../resource.js';
import { conditionsHold } from '../conditions.js';
import { escalations } from '../escalations.js';
import { EVERYTHING, only } from '../pattern.js';
import type { Held } from '../held.js';
import type { Place } from '../place.js';
import type { Principal, ProviderAccess } from '../provider.js';
import { targetsOf } from '../targets.js';
import type { PrivilegeTable } from '../table.js';
import type { AccessRule, Call, Gate, Weighed } from '../types.js';
import { Callers, type Caller } from './callers.js';
import type { DocumentEstate, Placed } from './estate.js';
import { NamedCallers } from './named.js';
import { ResourcePlaces } from './places.js';
import { NO_ORGANIZATION, NO_POLICIES, PolicyRules } from './policies.js';

/** What the policies of a resource say to a caller. */
interface SaidTo {
  direct: AccessRule[];
  byAccount: AccessRule[];
  denials: AccessRule[];
  unseen: string[];
}

/** Weighs calls by the policy documents of one provider (AWS IAM User Guide, "Policy evaluation logic"; Alibaba Cloud RAM, "Policy evaluation"). */
export class DocumentAccess implements ProviderAccess {
  private readonly policies: PolicyRules;
  private readonly callers: Callers;
  private readonly named: NamedCallers;
  private places: ResourcePlaces | undefined;
  private apart: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(private readonly estate: DocumentEstate) {
    this.policies = new PolicyRules(estate);
    this.callers = new Callers(estate);
    this.named = new NamedCallers(estate);
  }

  get privileges(): PrivilegeTable {
    return this.estate.table.privileges;
  }

  get identities(): readonly string[] {
    return [...this.estate.identities.keys()];
  }

  readonly strangers: readonly string[] = [];
  readonly everybody = ['*'] as const;

  accountOf(who: string): string {
    return this.estate.identities.get(who)?.account ?? '';
  }

  get policied(): readonly string[] {
    return [...this.estate.ofResource.keys()].sort();
  }

  statementsOf(resource: string): readonly Statement[] {
    return (this.estate.ofResource.get(resource)?.statements ?? []).map(({ statement }) => statement);
  }

  identitiesOf(account: string): readonly string[] {
    return this.estate.identitiesIn(account);
  }

  readonly byTrust = true;

  apartIn(account: string): readonly string[] {
    this.apart ??= this.findApart();
    return this.apart.get(account) ?? [];
  }

  private findApart(): Map<string, string[]> {
    const found = new Map<string, string[]>();
    const targets = targetsOf(this.estate.table.provider);
    const call: Call = { who: '', principal: [], account: undefined, action: '*', resources: [] };
    for (const asset of this.estate.assets.values()) {
      const { resource_uid: uid, resource_type: type } = asset;
      if (!targets.has(type)) continue;
      const account = this.estate.accountOf(asset) ?? '';
      const statements = this.estate.ofResource.get(uid)?.statements ?? [];
      const forbids = statements.some(
        ({ statement: { effect, conditions } }) => effect === 'Deny' && conditionsHold(conditions, call) !== false,
      );
      const decides =
        this.estate.table.decisive.some((one) => one.type.includes(type)) &&
        !this.named.principalsOf(uid).some(({ kind, name }) => kind === 'account' && name === account);
      if (forbids || decides) found.set(account, [...(found.get(account) ?? []), uid]);
    }
    for (const uids of found.values()) uids.sort();
    return found;
  }

  namedBy(resource: string): readonly Principal[] {
    return this.named.principalsOf(resource);
  }

  place(resource: string, who: string): Place | undefined {
    this.places ??= new ResourcePlaces(this.estate, meantTypes(this.estate.table.provider, this.privileges));
    return this.places.of(resource, this.accountOf(who));
  }

  heldBy(who: string): Held {
    const caller = this.callers.of(who);
    const { account } = caller;
    const held = this.ownOf(who);
    const allows = [...held.allows];
    const byAccount = account === undefined ? [] : this.named.ofAccount(account);
    for (const uid of new Set([...this.named.inPerson(caller), ...byAccount, ...this.named.everybody])) {
      const asset = this.estate.assets.get(uid);
      // what another account's resource gives takes a policy of one's own as well, which stands among the own ones
      if (asset === undefined || this.estate.accountOf(asset) !== account || this.estate.identities.has(uid)) continue;
      const there = only(...this.estate.namesOf(asset));
      for (const rule of this.saidTo(caller, asset).direct) allows.push({ ...rule, resources: there });
    }
    return { ...held, allows };
  }

  /** What the policies of somebody give, without those of resources. */
  ownOf(who: string): Held {
    const caller = this.callers.of(who);
    const { identity, names, account } = caller;
    const own = identity === undefined ? NO_POLICIES : this.policies.policiesOf(identity);
    const boundary = identity && this.policies.boundaryOf(identity);
    const levels = this.policies.levelsOf(account);
    return {
      call: { who: caller.who, principal: names, account },
      allows: own.allows,
      denials: [...own.denials, ...(boundary?.denials ?? []), ...levels.denials],
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
    return this.toward(who, resource, session)(action);
  }

  /** What decides about the calls of somebody to one resource; see `weigh`. */
  toward(who: string, resource: string, session?: unknown): (action: string) => Weighed {
    const caller = this.callers.of(who);
    const uid = this.estate.assets.has(resource) ? resource : this.estate.find(baseOf(resource));
    const asset = uid === undefined ? undefined : this.estate.assets.get(uid);
    const said = asset === undefined ? { direct: [], byAccount: [], denials: [], unseen: [] } : this.saidTo(caller, asset);
    const owner = asset === undefined ? this.estate.accountIn(resource) : this.estate.accountOf(asset);
    return (action) => {
      const resources = asset === undefined || resource !== asset.resource_uid ? [resource] : this.placesIn(asset, action);
      if (asset !== undefined && resource !== asset.resource_uid) resources.push(...this.sameInside(asset, resource));
      const call: Call = { who: caller.who, principal: caller.names, account: caller.account, action, resources };
      return this.assemble(caller, call, asset, owner, said, session);
    };
  }

  /** What the policies of a resource say to a caller. */
  saidTo(caller: Caller, asset: InventoryResource): SaidTo {
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
      for (const rule of this.policies.rule(placed, [], inTrust ? EVERYTHING : undefined)) {
        const own = named === 'unknown' ? { ...rule, actions: { include: [null], exclude: [] } } : rule;
        const sure = named === 'session' ? { ...own, condition: (call: Call) => own.condition(call) && undefined } : own;
        if (rule.effect === 'deny') denials.push(sure);
        else if (shut) continue;
        else (named === 'account' ? byAccount : direct).push(sure);
      }
    }
    return { direct, byAccount, denials, unseen: document.unseen };
  }

  private assemble(
    caller: Caller,
    call: Call,
    asset: InventoryResource | undefined,
    owner: string | undefined,
    said: SaidTo,
    session: unknown,
  ): Weighed {
    const { identity } = caller;
    const own = identity === undefined ? undefined : this.policies.policiesOf(identity);
    const allows = own?.allows ?? [];
    const foreign = owner !== undefined && caller.account !== undefined && owner !== caller.account;
    const decisive = this.estate.table.decisive.some(
      ({ type, actions }) => type.includes(asset?.resource_type ?? '') && matchesPattern(actions, call.action),
    );
    const assumed: string[] = [];
    const denials = [...said.denials, ...(own?.denials ?? [])];
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
      const boundary = this.policies.boundaryOf(identity);
      if (boundary !== undefined) {
        // what a resource policy gives to a user of the same account in person is not bounded; what it gives to a role is
        const past = identity.kind === 'user' && !foreign ? said.direct : [];
        gates.push({ ...boundary.gate, rules: [...boundary.gate.rules, ...past] });
        denials.push(...boundary.denials);
      }
    }
    if (session !== undefined) gates.push(this.sessionGate(session, denials));
    if (!caller.outside) {
      const levels = this.policies.levelsOf(caller.account);
      if (!levels.shown) assumed.push(NO_ORGANIZATION);
      gates.push(...levels.gates);
      denials.push(...levels.denials);
    }
    if (own !== undefined && own.unseen.length > 0) assumed.push(...own.unseen.map((policy) => `${policy} forbids nothing`));
    if (foreign || caller.outside) denials.push(...this.policies.levelsOf(owner).denials.filter(({ uid }) => this.isOfResources(uid)));
    return { call, gates, denials, assumed };
  }

  /** Whether a policy of the organization counts for resources, whoever asks. */
  private isOfResources = (uid: string): boolean =>
    !this.estate.table.organization.allow.includes(this.estate.organization.get(uid)?.kind ?? '');

  private sessionGate(session: unknown, denials: AccessRule[]): Gate {
    const rules = this.estate.statementsIn(session).flatMap((placed) => this.policies.rule(placed, []));
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
}

/** The resource types that patterns of policies are looked up among. */
function meantTypes(provider: string, { assumed }: PrivilegeTable): ReadonlySet<string> {
  const ways = escalations().get(provider) ?? [];
  return new Set([
    ...targetsOf(provider).keys(),
    ...assumed.flatMap(({ type }) => type),
    ...ways.flatMap(({ wins, passes }) => (passes ? [...wins, passes.type] : wins)),
  ]);
}

/** The resource in which something lies: what stands before the first slash behind the last colon. */
const baseOf = (name: string): string => (/^[a-z]+:[^/]*:s3:::|^acs:oss:/.test(name) ? (/^[^/]*/.exec(name)?.[0] ?? name) : name);
