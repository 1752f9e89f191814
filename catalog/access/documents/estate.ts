import { matchesPattern, NotAPolicy, statementsOf, type Statement } from '../../cel/policy.js';
import { flag, text } from '../../cel/read.js';
import { valuesAt } from '../../inventory.js';
import { isUnknown, Names } from '../../names.js';
import type { InventoryResource } from '../../resource.js';
import { accountIn, accountOf, namesInPolicies } from './names.js';
import type { DocumentPart, DocumentTable } from './table.js';

/** A statement and where it stands. */
export interface Placed {
  uid: string;
  label: string;
  statement: Statement;
}

/** What a policy, or a resource with policies, says. */
export interface Document {
  statements: Placed[];
  /** Texts that are no policies, and what the source does not know yet. */
  unseen: string[];
}

/** What an identity has, before anything is weighed. */
export interface Identity {
  uid: string;
  kind: 'user' | 'role' | 'group';
  account: string | undefined;
  /** References to policies that are not in the inventory among them. */
  policies: string[];
  own: Document;
  boundaries: string[];
  groups: string[];
  trust: Document;
}

/** Attributes that name a resource of each kind, beside those that name any. */
const OWN_NAMES: Readonly<Record<string, { ids?: readonly string[]; names?: readonly string[] }>> = {
  role: { names: ['role_name'] },
  group: { names: ['group_name'] },
  policy: { ids: ['policy_id'], names: ['policy_name'] },
  resource: { ids: ['bucket', 'url', 'queue_url'], names: ['function_name', 'domain_name', 'repository'] },
};

const MOST_STATEMENTS = 10_000;

/** The identities, policies and resource policies of one provider, as they refer to each other. */
export class DocumentEstate {
  readonly assets = new Map<string, InventoryResource>();
  readonly identities = new Map<string, Identity>();
  /** What each managed policy says, by uid. */
  readonly policies = new Map<string, Document>();
  /** What the policies of a resource say, by its uid. */
  readonly ofResource = new Map<string, Document>();
  /** Resources that strangers are shut out of, and accounts. */
  readonly restricted = new Set<string>();
  /** Policies of the organization by uid, and where they are attached. */
  readonly organization = new Map<string, { kind: string; targets: string[] }>();
  readonly units = new Map<string, string | undefined>();
  readonly masters = new Set<string>();
  private readonly names = new Names();
  private byAccount: Map<string, string[]> | undefined;
  private readonly parts: ReadonlyMap<string, readonly DocumentPart[]>;

  constructor(
    readonly table: DocumentTable,
    assets: readonly InventoryResource[],
  ) {
    const parts = new Map<string, DocumentPart[]>();
    for (const part of table.parts) for (const type of part.type) parts.set(type, [...(parts.get(type) ?? []), part]);
    this.parts = parts;
    const own = assets.filter(({ provider }) => provider === table.provider);
    for (const asset of own) {
      this.assets.set(asset.resource_uid, asset);
      const kind = this.kindOf(asset.resource_type);
      if (kind !== undefined) this.names.add(asset, kind, OWN_NAMES[kind]);
    }
    for (const asset of own) for (const part of this.parts.get(asset.resource_type) ?? []) this.declare(asset, part);
    for (const asset of own) for (const part of this.parts.get(asset.resource_type) ?? []) this.connect(asset, part);
  }

  accountOf(asset: InventoryResource): string | undefined {
    return accountOf(this.table, asset);
  }

  accountIn(name: string): string | undefined {
    return accountIn(this.table, name);
  }

  /** The uids of the identities of an account. */
  identitiesIn(account: string): readonly string[] {
    if (this.byAccount === undefined) {
      this.byAccount = new Map();
      for (const { uid, account = '' } of this.identities.values()) {
        const known = this.byAccount.get(account);
        if (known === undefined) this.byAccount.set(account, [uid]);
        else known.push(uid);
      }
    }
    return this.byAccount.get(account) ?? [];
  }

  /** Whether a principal is an account as a whole. */
  isWholeAccount(name: string, account: string): boolean {
    return matchesPattern(this.table.everybody_of_account.replace('{account}', account), name);
  }

  namesOf(asset: InventoryResource): string[] {
    return namesInPolicies(this.table, asset);
  }

  /** The resource that a text or a reference names. */
  find(
    value: string,
    account?: string,
    kinds: readonly string[] = ['user', 'role', 'group', 'policy', 'resource', 'unit'],
  ): string | undefined {
    return this.names.find(value, kinds, account);
  }

  /** A pattern of a policy with references to resources written as their uids; null where it holds what is not known yet. */
  resolved(pattern: string | undefined): string | null {
    if (pattern === undefined) return null;
    if (!pattern.includes('${')) return pattern;
    let open = false;
    const written = pattern.replaceAll(/\$\{[^}]*\}/g, (reference) => {
      // AWS's own variables (`${aws:username}`) stand for what only the call tells
      if (/^\$\{(?:[a-z0-9]+:|[*?$]\})/i.test(reference)) {
        open ||= !/^\$\{[*?$]/.test(reference);
        return '*';
      }
      const uid = this.find(reference);
      open ||= uid === undefined;
      return uid ?? '*';
    });
    return open ? null : written;
  }

  /** The statements of a document that belongs to no resource; none where it is no document. */
  statementsIn(document: unknown): Placed[] {
    return statementsOf(document).map((statement, n) => ({ uid: 'session', label: statement.sid ?? `Statement[${n}]`, statement }));
  }

  /** What a resource is for those who name it; undefined for what only joins others. */
  private kindOf(type: string): string | undefined {
    const parts = this.parts.get(type);
    if (parts === undefined) return 'resource';
    for (const { identity, policy, organization, unit, resource } of parts) {
      if (identity !== undefined) return identity;
      if (policy || organization !== undefined) return 'policy';
      if (unit !== undefined) return 'unit';
      if (resource[0] === 'self') return 'resource';
    }
    return undefined;
  }

  private declare(asset: InventoryResource, part: DocumentPart): void {
    const { resource_uid: uid, configuration } = asset;
    if (part.identity !== undefined)
      this.identities.set(uid, {
        uid,
        kind: part.identity,
        account: this.accountOf(asset),
        policies: [],
        own: { statements: [], unseen: [] },
        boundaries: [],
        groups: [],
        trust: { statements: [], unseen: [] },
      });
    if (part.policy || part.organization !== undefined) this.policies.set(uid, this.read(asset, part.documents));
    if (part.organization !== undefined)
      this.organization.set(uid, { kind: text(configuration[part.organization]) ?? this.table.organization.absent, targets: [] });
    if (part.unit !== undefined) {
      const id = text(configuration['id']) ?? text(configuration['account_id']) ?? uid;
      const parent = part.unit === 'none' ? undefined : text(configuration[part.unit]);
      this.units.set(id, parent);
      for (const root of valuesAt(configuration, (part.root ?? '').split('.')))
        if (typeof root === 'string') this.units.set(root, undefined);
      const master = part.master === undefined ? undefined : text(configuration[part.master]);
      if (master !== undefined) this.masters.add(master);
    }
  }

  private connect(asset: InventoryResource, part: DocumentPart): void {
    const { resource_uid: uid } = asset;
    const self = this.identities.get(uid);
    if (self !== undefined && part.identity !== undefined) {
      append(self.trust, this.read(asset, part.trust));
      self.boundaries.push(...this.references(asset, part.boundary, ['policy']));
      append(this.documentOf(uid), self.trust);
    }
    const policies = this.references(asset, part.policies, ['policy']);
    if (part.target !== undefined) {
      const target = text(asset.configuration[part.target]);
      for (const policy of policies) if (target !== undefined) this.organization.get(policy)?.targets.push(target);
      return;
    }
    const document = part.policy || part.organization !== undefined ? undefined : this.read(asset, part.documents);
    const holders = part.identity === undefined ? this.references(asset, part.holders, ['user', 'role', 'group']) : [uid];
    for (const holder of holders) {
      const identity = this.identities.get(holder);
      if (identity === undefined) continue;
      identity.policies.push(...policies);
      if (document !== undefined && (part.identity !== undefined || part.holders.length > 0)) append(identity.own, document);
    }
    const groups = this.references(asset, part.groups, ['group']);
    for (const member of this.references(asset, part.members, ['user'])) this.identities.get(member)?.groups.push(...groups);
    const resources = part.resource[0] === 'self' ? [uid] : this.references(asset, part.resource, ['resource', 'role']);
    for (const resource of resources) {
      if (part.restricts !== undefined) {
        if (flag(asset.configuration[part.restricts])) this.restricted.add(resource);
      } else if (part.identity === undefined) append(this.documentOf(resource), document ?? NOTHING);
      if (part.statement !== undefined) this.documentOf(resource).statements.push(this.statementIn(asset, part.statement));
    }
    if (part.account !== undefined && part.restricts !== undefined && flag(asset.configuration[part.restricts])) {
      const account = text(asset.configuration[part.account]) ?? this.accountOf(asset);
      if (account !== undefined) this.restricted.add(account);
    }
  }

  private documentOf(resource: string): Document {
    const document = this.ofResource.get(resource) ?? { statements: [], unseen: [] };
    this.ofResource.set(resource, document);
    return document;
  }

  /** The uids that attributes refer to; the texts themselves for what the inventory does not show. */
  private references(asset: InventoryResource, at: readonly string[], kinds: readonly string[]): string[] {
    const { uids, missing } = this.names.refer(asset, at, kinds);
    return [...uids, ...missing];
  }

  private read(asset: InventoryResource, at: readonly string[]): Document {
    const document: Document = { statements: [], unseen: [] };
    for (const path of at) {
      if (isUnknown(asset, path)) document.unseen.push(`${asset.resource_uid} (${path})`);
      for (const value of valuesAt(asset.configuration, path.split('.'))) {
        if (value === '') continue;
        try {
          const statements = statementsOf(value);
          if (statements.length > MOST_STATEMENTS) document.unseen.push(`${asset.resource_uid} (${path}: too many statements)`);
          statements.slice(0, MOST_STATEMENTS).forEach((statement, n) => {
            document.statements.push({ uid: asset.resource_uid, label: statement.sid ?? `${path}[${n}]`, statement });
          });
        } catch (error) {
          if (!(error instanceof NotAPolicy)) throw error;
          document.unseen.push(`${asset.resource_uid} (${path})`);
        }
      }
    }
    return document;
  }

  private statementIn(asset: InventoryResource, part: NonNullable<DocumentPart['statement']>): Placed {
    const { configuration, resource_uid: uid } = asset;
    const principal = text(configuration[part.principal]);
    const kind = principal === '*' ? '' : principal?.includes('.amazonaws.com') ? 'Service:' : `${this.table.principals}:`;
    return {
      uid,
      label: text(configuration['statement_id']) ?? 'statement',
      statement: {
        sid: undefined,
        effect: 'Allow',
        actions: [text(configuration[part.action])],
        not_actions: [],
        resources: ['*'],
        not_resources: [],
        principals: [principal === undefined ? undefined : `${kind}${principal}`],
        not_principals: [],
        conditions: part.conditions
          .filter((path) => text(configuration[path]) !== undefined || isUnknown(asset, path))
          .map((path) => ({ operator: 'StringEquals', key: path, values: [text(configuration[path])] })),
      },
    };
  }
}

const NOTHING: Document = { statements: [], unseen: [] };

function append(to: Document, from: Document): void {
  for (const statement of from.statements) to.statements.push(statement);
  to.unseen.push(...from.unseen);
}
