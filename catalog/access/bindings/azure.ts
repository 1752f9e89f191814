import { z } from 'zod';
import { blocks, text } from '../../cel/read.js';
import { valuesAt } from '../../inventory.js';
import type { InventoryResource } from '../../resource.js';
import { only } from '../pattern.js';
import { containersOf, type Place } from '../place.js';
import { privilegesSchema, readTable } from '../table.js';
import type { AccessRule, Patterns } from '../types.js';
import { addTo, conditionIf, GatheredBindings } from './bound.js';

const schema = z.strictObject({
  provider: z.literal('azure'),
  roles: z.array(
    z.strictObject({ name: z.string(), id: z.uuid(), actions: z.array(z.string()), not_actions: z.array(z.string()).default([]) }),
  ),
  privileges: privilegesSchema,
});

const EVERYBODY = '00000000-0000-0000-0000-000000000000';
/** Types that are identities, and the attributes that name them in assignments. */
const IDENTITIES = new Set(['azurerm_user_assigned_identity', 'azuread_user', 'azuread_service_principal', 'azuread_group']);
const PRINCIPAL = ['principal_id', 'object_id'];

/** Role assignments and deny assignments over scopes (Azure RBAC, "Understand scope", "Deny assignments"). */
export class AzureBindings extends GatheredBindings {
  readonly everybody = [EVERYBODY];
  readonly privileges;
  /** What each role definition gives, by uid, id and name. */
  private readonly roles = new Map<string, Patterns[]>();
  private readonly parents = new Map<string, string>();

  constructor(assets: readonly InventoryResource[]) {
    super();
    const table = readTable(schema, 'azure');
    this.privileges = table.privileges;
    for (const { name, id, actions, not_actions } of table.roles)
      for (const key of [name.toLowerCase(), id]) this.roles.set(key, planes(actions, not_actions));
    for (const asset of assets) {
      this.assets.set(asset.resource_uid, asset);
      const isIdentity = IDENTITIES.has(asset.resource_type);
      this.names.add(asset, asset.resource_type, { ids: isIdentity ? PRINCIPAL : ['role_definition_id', 'role_definition_resource_id'] });
      if (isIdentity) this.identities.push(asset.resource_uid);
      else if (this.systemIdentity(asset) !== undefined) this.identities.push(asset.resource_uid);
    }
    for (const asset of assets) this.declare(asset);
    for (const asset of assets) this.bind(asset);
  }

  namesOf(who: string): string[] {
    if (who === '*') return [EVERYBODY];
    const asset = this.assets.get(who);
    if (asset === undefined) return [who.toLowerCase(), EVERYBODY];
    const own = [...PRINCIPAL.map((key) => text(asset.configuration[key])), this.systemIdentity(asset)];
    return [asset.resource_uid, ...own.filter((name) => name !== undefined).map((name) => name.toLowerCase()), EVERYBODY];
  }

  placesOf(resource: string): string[] {
    const asset = this.assets.get(resource) ?? this.assets.get(this.names.find(resource, []) ?? '');
    const id = (asset === undefined ? resource : (text(asset.configuration['id']) ?? asset.resource_uid)).toLowerCase();
    const places = new Set(asset === undefined ? [] : [asset.resource_uid]);
    const parts = id.split('/');
    if (id.startsWith('/')) for (let n = 3; n <= parts.length; n += 1) places.add(parts.slice(0, n).join('/'));
    else places.add(id);
    let subscription = id.startsWith('/subscriptions/') ? parts[2] : undefined;
    for (let at = asset, depth = 0; at !== undefined && depth < 10; depth += 1) {
      const { configuration, account_id } = at;
      subscription ??= account_id;
      // what a plan does not give an id lies in what it refers to
      const parent: string | undefined = ['storage_account_id', 'storage_account_name', 'key_vault_id', 'server_id', 'resource_group_name']
        .map((key) => configuration[key])
        .filter((value): value is string => typeof value === 'string' && value !== '')
        .map((value) => this.names.find(value, ['azurerm_resource_group', 'azurerm_storage_account', 'azurerm_key_vault'], account_id))
        .find((uid) => uid !== undefined && !places.has(uid));
      const group = text(configuration['resource_group_name']);
      if (group !== undefined && account_id !== undefined) places.add(`/subscriptions/${account_id}/resourcegroups/${group}`.toLowerCase());
      if (parent === undefined) break;
      places.add(parent);
      at = this.assets.get(parent);
      const parentId = at && text(at.configuration['id'])?.toLowerCase();
      if (parentId) places.add(parentId);
    }
    if (subscription !== undefined) this.addAbove(`/subscriptions/${subscription}`.toLowerCase(), places);
    this.addAbove(id, places);
    places.add('/');
    return [...places];
  }

  place(name: string): Place | undefined {
    if (name === '/') return { within: this.accounts(), pattern: null, whole: true };
    const [, subscription, group] = /^\/subscriptions\/([^/]+)(?:\/resourcegroups\/([^/]+))?$/i.exec(name) ?? [];
    if (subscription !== undefined)
      return { within: [group === undefined ? subscription : `${subscription}/${group}`], pattern: null, whole: group === undefined };
    const asset = this.assets.get(name) ?? this.assets.get(this.names.find(name, []) ?? '');
    if (asset?.resource_type === 'azurerm_resource_group')
      return { within: [containersOf(named(asset))[1] ?? ''], pattern: null, whole: false };
    if (asset?.resource_type === 'azurerm_subscription')
      return { within: [text(asset.configuration['subscription_id']) ?? asset.account_id ?? ''], pattern: null, whole: true };
    const group_id = asset?.resource_type === 'azurerm_management_group' ? (text(asset.configuration['id'])?.toLowerCase() ?? name) : name;
    if (/^\/providers\/microsoft\.management\/managementgroups\//.test(group_id)) {
      const isBelow = (account: string) => this.above(`/subscriptions/${account}`.toLowerCase()).has(group_id);
      return { within: this.accounts().filter(isBelow), pattern: null, whole: true };
    }
    return asset && { named: [asset.resource_uid] };
  }

  private above(scope: string): Set<string> {
    const places = new Set<string>();
    this.addAbove(scope, places);
    return places;
  }

  private addAbove(scope: string, places: Set<string>): void {
    for (let at: string | undefined = scope, depth = 0; at !== undefined && depth < 10; at = this.parents.get(at), depth += 1)
      places.add(at);
  }

  private systemIdentity({ configuration }: InventoryResource): string | undefined {
    return blocks(configuration['identity'])
      .map((identity) => text(identity['principal_id']))
      .find((id) => id !== undefined && id !== '');
  }

  private declare({ resource_uid: uid, resource_type: type, configuration, account_id }: InventoryResource): void {
    if (type === 'azurerm_role_definition') {
      const list = (key: string) => blocks(configuration['permissions']).flatMap((one) => strings(one[key]));
      const actions = [...list('actions'), ...list('data_actions').map(onData)];
      const role = planes(actions, [...list('not_actions'), ...list('not_data_actions').map(onData)]);
      const keys = [
        uid,
        text(configuration['role_definition_id']),
        text(configuration['role_definition_resource_id']),
        text(configuration['name']),
      ];
      for (const key of keys) if (key !== undefined) this.roles.set(key.toLowerCase(), role);
    }
    if (type === 'azurerm_management_group') {
      const id = text(configuration['id'])?.toLowerCase() ?? uid;
      const parent = text(configuration['parent_management_group_id'])?.toLowerCase();
      if (parent) this.parents.set(id, parent);
      for (const subscription of strings(configuration['subscription_ids']))
        this.parents.set(`/subscriptions/${subscription}`.toLowerCase(), id);
    }
    if (type === 'azurerm_management_group_subscription_association') {
      const [group, subscription] = ['management_group_id', 'subscription_id'].map((key) => text(configuration[key])?.toLowerCase());
      if (group && subscription) this.parents.set(subscription, group);
    }
    if (type === 'azuread_group') for (const member of strings(configuration['members'])) this.addMember(member, uid, account_id);
    if (type === 'azuread_group_member')
      for (const member of strings(configuration['member_object_id']))
        for (const group of strings(configuration['group_object_id'])) this.addMember(member, group, account_id);
  }

  private addMember(member: string, group: string, account: string | undefined): void {
    const uid = this.names.find(group, ['azuread_group'], account) ?? group;
    for (const name of new Set([this.names.find(member, [], account) ?? member.toLowerCase(), member.toLowerCase()]))
      addTo(this.groupsOf, name, uid);
  }

  private bind(asset: InventoryResource): void {
    const { resource_type: type } = asset;
    if (
      type === 'azurerm_role_assignment' ||
      type === 'azurerm_pim_active_role_assignment' ||
      type === 'azurerm_pim_eligible_role_assignment'
    )
      this.assign(asset, type === 'azurerm_pim_eligible_role_assignment');
    else if (type === 'azurerm_deny_assignment') this.deny(asset);
  }

  /** A right that has to be activated first is conditional. */
  private assign({ resource_uid: uid, configuration, account_id }: InventoryResource, eligible: boolean): void {
    const name = text(configuration['role_definition_name']);
    const id = typeof configuration['role_definition_id'] === 'string' ? configuration['role_definition_id'] : undefined;
    const found = id === undefined ? undefined : this.names.find(id, ['azurerm_role_definition'], account_id);
    const keys = [name, found, id, id?.split('/').at(-1)].filter((key) => key !== undefined).map((key) => key.toLowerCase());
    const role = keys.map((key) => this.roles.get(key)).find((one) => one !== undefined);
    if (role === undefined) this.unseen.set(uid, name ?? id ?? `${uid} (role)`);
    this.add(uid, name ?? id?.split('/').at(-1) ?? 'role', 'allow', role ?? [only(null)], this.scope(configuration['scope'], account_id), {
      subjects: strings(configuration['principal_id']),
      condition: eligible || text(configuration['condition']) !== undefined,
      account: account_id,
    });
  }

  private deny({ resource_uid: uid, configuration, account_id }: InventoryResource): void {
    for (const permission of blocks(configuration['permissions'])) {
      const list = (key: string) => strings(permission[key]);
      const actions = planes(
        [...list('actions'), ...list('data_actions').map(onData)],
        [...list('not_actions'), ...list('not_data_actions').map(onData)],
      );
      this.add(
        uid,
        text(configuration['deny_assignment_name']) ?? 'deny assignment',
        'deny',
        actions,
        this.scope(configuration['scope'], account_id),
        {
          subjects: valuesAt(configuration, ['principals', 'id']).map(String),
          spares: valuesAt(configuration, ['exclude_principals', 'id']).map(String),
          condition: false,
          account: account_id,
        },
      );
    }
  }

  private add(
    uid: string,
    label: string,
    effect: AccessRule['effect'],
    planes: readonly Patterns[],
    scope: string | null,
    {
      subjects,
      spares = [],
      condition,
      account,
    }: { subjects: string[]; spares?: string[]; condition: boolean; account: string | undefined },
  ): void {
    const named = (list: string[]) => list.map((subject) => this.names.find(subject, [...IDENTITIES], account) ?? subject.toLowerCase());
    const bound = { subjects: named(subjects), spares: named(spares) };
    for (const actions of planes)
      this.bound.push({
        ...bound,
        rule: { uid, label, effect, actions, resources: only(scope), condition: conditionIf(condition), via: [] },
      });
  }

  /** A scope as places name it: the uid of what a reference names, else the id. */
  private scope(value: unknown, account: string | undefined): string | null {
    if (typeof value !== 'string' || value === '') return null;
    if (value === '/') return '/';
    const uid = value.includes('${') ? this.names.find(value, [], account) : undefined;
    return uid ?? (value.includes('${') ? null : value.toLowerCase());
  }
}

const strings = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string' && one !== '');

/** A resource group, which lies in itself. */
const named = (group: InventoryResource): InventoryResource => ({
  ...group,
  configuration: { ...group.configuration, resource_group_name: text(group.configuration['name']) ?? '' },
});

const DATA = 'data:';

/** What a role gives over resources and, apart from that, over the data in them: a pattern of the one holds nothing of the other. */
function planes(actions: readonly string[], but: readonly string[]): Patterns[] {
  const isData = (action: string) => action.startsWith(DATA);
  const control = {
    include: actions.filter((action) => !isData(action)),
    exclude: [...but.filter((action) => !isData(action)), `${DATA}*`],
  };
  const data = { include: actions.filter(isData), exclude: but.filter(isData) };
  return [control, data].filter(({ include }) => include.length > 0);
}

const onData = (action: string): string => `${DATA}${action}`;
