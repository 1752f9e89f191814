import { z } from 'zod';
import { bindingsOf, NotAPolicy } from '../../cel/policy.js';
import { block, blocks, text } from '../../cel/read.js';
import { isUnknown } from '../../names.js';
import type { InventoryResource } from '../../resource.js';
import { only } from '../pattern.js';
import type { Place } from '../place.js';
import { privilegesSchema, readTable } from '../table.js';
import type { Patterns } from '../types.js';
import { addTo, conditionIf, GatheredBindings } from './bound.js';

const roleSchema = z.union([
  z.array(z.string()).transform((actions) => ({ actions, but: [] as string[] })),
  z.strictObject({ actions: z.array(z.string()), but: z.array(z.string()).default([]) }),
]);

const schema = z.strictObject({
  provider: z.literal('gcp'),
  roles: z.record(z.string(), roleSchema),
  families: z.array(
    z.strictObject({
      name: z.string().transform((source) => new RegExp(source)),
      actions: z.array(z.string()),
      but: z.array(z.string()).default([]),
    }),
  ),
  resources: z.record(z.string(), z.string()),
  privileges: privilegesSchema,
});

const GRANT = /^google_(.+)_iam_(member|binding|policy)$/;
const EVERYBODY = 'allusers';
const SIGNED_IN = 'allauthenticatedusers';

/** The types that give rights on resources. */
export const gcpGrantTypes = (): string[] =>
  Object.keys(readTable(schema, 'gcp').resources).flatMap((resource) =>
    ['member', 'binding', 'policy'].map((form) => `google_${resource}_iam_${form}`),
  );

/** Allow policies over resources, projects, folders and organizations, and deny policies (Google Cloud IAM, "Policy inheritance", "Deny policies"). */
export class GcpBindings extends GatheredBindings {
  readonly everybody = [EVERYBODY, SIGNED_IN];
  readonly privileges;
  private readonly table;
  private readonly roles = new Map<string, Patterns>();
  private readonly parents = new Map<string, string>();

  constructor(assets: readonly InventoryResource[]) {
    super();
    this.table = readTable(schema, 'gcp');
    this.privileges = this.table.privileges;
    for (const [name, { actions, but }] of Object.entries(this.table.roles)) this.roles.set(name, { include: actions, exclude: but });
    for (const asset of assets) {
      this.assets.set(asset.resource_uid, asset);
      if (GRANT.test(asset.resource_type)) continue;
      this.names.add(asset, asset.resource_type, {
        ids: asset.resource_type === 'google_cloud_identity_group' ? ['name'] : ['email', 'unique_id'],
        names: ['secret_id', 'dataset_id', 'role_id', 'account_id'],
      });
      if (asset.resource_type === 'google_service_account') this.identities.push(asset.resource_uid);
    }
    for (const asset of assets) this.declare(asset);
    for (const asset of assets) this.bind(asset);
  }

  namesOf(who: string): string[] {
    if (who === '*') return [EVERYBODY];
    const asset = this.assets.get(who);
    const names = asset === undefined ? [who.toLowerCase()] : [asset.resource_uid];
    const email = asset && this.emailOf(asset);
    if (email !== undefined) names.push(`serviceaccount:${email}`);
    const domain = /^user:[^@]+@(.+)$/.exec(who.toLowerCase())?.[1];
    return [...names, ...(domain === undefined ? [] : [`domain:${domain}`]), SIGNED_IN, EVERYBODY];
  }

  placesOf(resource: string): string[] {
    const uid = this.assets.has(resource) ? resource : this.names.find(resource, []);
    const asset = uid === undefined ? undefined : this.assets.get(uid);
    const places = new Set([uid ?? written(resource)]);
    if (asset !== undefined) {
      for (const key of ['id', 'self_link', 'name']) {
        const name = text(asset.configuration[key]);
        if (name !== undefined) places.add(written(name));
      }
      if (asset.resource_type === 'google_project') places.add(projectOf(text(asset.configuration['project_id']) ?? asset.resource_uid));
    }
    const project = text(asset?.configuration['project']) ?? asset?.account_id ?? /projects\/([^/]+)/.exec(resource)?.[1];
    const own = asset?.configuration['project'];
    const named = typeof own === 'string' && own.includes('${') ? this.names.find(own, []) : undefined;
    if (named !== undefined) places.add(named);
    if (project !== undefined) places.add(projectOf(project));
    for (const place of places) {
      const parent = this.parents.get(place);
      if (parent !== undefined) places.add(parent);
    }
    return [...places];
  }

  place(name: string): Place | undefined {
    const project = /^projects\/([^/]+)$/.exec(name)?.[1];
    if (project !== undefined) return { within: [project], pattern: null, whole: true };
    if (/^(?:folders|organizations)\/[^/]+$/.test(name))
      return { within: this.accounts().filter((one) => this.isBelow(one, name)), pattern: null, whole: true };
    const asset = this.assets.get(name) ?? this.assets.get(this.names.find(name, []) ?? '');
    if (asset === undefined) return undefined;
    const { resource_type: type, configuration } = asset;
    if (type === 'google_project') return this.place(projectOf(text(configuration['project_id']) ?? asset.account_id ?? name));
    const folder = type === 'google_folder' ? (text(configuration['name']) ?? text(configuration['folder_id'])) : undefined;
    return folder === undefined ? { named: [asset.resource_uid] } : this.place(folderOf(folder));
  }

  private isBelow(project: string, name: string): boolean {
    for (let at = this.parents.get(projectOf(project)), depth = 0; at !== undefined && depth < 20; at = this.parents.get(at), depth += 1)
      if (at === name) return true;
    return false;
  }

  private emailOf({ configuration, account_id }: InventoryResource): string | undefined {
    const id = text(configuration['account_id']);
    const project = text(configuration['project']) ?? account_id;
    return text(configuration['email'])?.toLowerCase() ?? (id && project ? `${id}@${project}.iam.gserviceaccount.com` : undefined);
  }

  private declare({ resource_uid: uid, resource_type: type, configuration, account_id }: InventoryResource): void {
    const value = (key: string) => text(configuration[key]);
    if (/^google_(project|organization)_iam_custom_role$/.test(type)) {
      const role = only(...strings(configuration['permissions']));
      const holder = type.includes('project') ? `projects/${value('project') ?? account_id}` : `organizations/${value('org_id')}`;
      for (const key of [uid, value('id'), value('name'), `${holder}/roles/${value('role_id')}`])
        if (key !== undefined) this.roles.set(key, role);
    }
    if (type === 'google_project') {
      const parent =
        value('folder_id') !== undefined && value('folder_id') !== ''
          ? folderOf(value('folder_id')!)
          : value('org_id') && organizationOf(value('org_id')!);
      const names = [
        uid,
        projectOf(value('project_id') ?? account_id ?? uid),
        ...(value('number') === undefined ? [] : [projectOf(value('number')!)]),
      ];
      if (parent) for (const name of names) this.parents.set(name, parent);
    }
    if (type === 'google_folder') {
      const parent = value('parent');
      for (const name of [uid, value('name'), value('folder_id') && folderOf(value('folder_id')!)])
        if (name && parent) this.parents.set(name, parent);
    }
    if (type === 'google_cloud_identity_group_membership') {
      const member = text(block(configuration['preferred_member_key'])?.['id']) ?? text(block(configuration['member_key'])?.['id']);
      const group =
        typeof configuration['group'] === 'string' ? this.assets.get(this.names.find(configuration['group'], []) ?? '') : undefined;
      const address = group && text(block(group.configuration['group_key'])?.['id']);
      if (member === undefined || address === undefined) return;
      for (const kind of ['user', 'serviceaccount', 'group'])
        addTo(this.groupsOf, `${kind}:${member.toLowerCase()}`, `group:${address.toLowerCase()}`);
    }
  }

  private bind(asset: InventoryResource): void {
    const { resource_uid: uid, resource_type: type, configuration } = asset;
    if (type === 'google_iam_deny_policy') return this.deny(asset);
    const [, resource = '', form] = GRANT.exec(type) ?? [];
    const attribute = this.table.resources[resource];
    if (attribute === undefined) return;
    const place = this.placeOf(resource, configuration[attribute], asset);
    if (form !== 'policy') {
      const members = form === 'member' ? [configuration['member']] : strings(configuration['members']);
      return this.allow(
        asset,
        text(configuration['role']) ?? reference(configuration['role']),
        members,
        place,
        block(configuration['condition']) !== undefined,
      );
    }
    try {
      if (isUnknown(asset, 'policy_data')) throw new NotAPolicy('not known yet');
      for (const { role, members, condition } of bindingsOf(configuration['policy_data']))
        this.allow(asset, role, members, place, condition);
    } catch (error) {
      if (!(error instanceof NotAPolicy)) throw error;
      this.unseen.set(uid, `${uid} (policy_data)`);
      this.bound.push({
        subjects: [EVERYBODY, SIGNED_IN],
        rule: { uid, label: 'policy_data', effect: 'allow', actions: only(null), resources: only(place), condition: () => true, via: [] },
      });
    }
  }

  private allow(
    asset: InventoryResource,
    role: string | undefined,
    members: readonly unknown[],
    place: string | null,
    condition: boolean,
  ): void {
    const { resource_uid: uid } = asset;
    const actions = this.actionsOf(role, asset);
    if (actions === undefined) this.unseen.set(uid, role ?? `${uid} (role)`);
    const rule = {
      uid,
      label: role ?? 'role',
      effect: 'allow' as const,
      actions: actions ?? only(null),
      resources: only(place),
      condition: conditionIf(condition),
      via: [],
    };
    this.bound.push({ subjects: members.map((member) => this.subjectOf(member)), rule });
  }

  private actionsOf(role: string | undefined, asset: InventoryResource): Patterns | undefined {
    if (role === undefined) return undefined;
    const known =
      this.roles.get(role) ??
      this.roles.get(
        this.names.find(role, ['google_project_iam_custom_role', 'google_organization_iam_custom_role'], asset.account_id) ?? '',
      );
    if (known !== undefined) return known;
    for (const { name, actions, but } of this.table.families) {
      const match = name.exec(role);
      if (match === null) continue;
      const filled = (list: readonly string[]) => list.map((action) => action.replace('$1', match[1]!));
      return { include: filled(actions), exclude: filled(but) };
    }
    return undefined;
  }

  /** A member as callers are named; what a reference names is its uid. */
  private subjectOf(member: unknown): string {
    const name = typeof member === 'string' ? member : '?';
    const [, said] = /(\$\{[^}]*\})/.exec(name) ?? [];
    return (said !== undefined && this.names.find(said, [])) || name.replace(/^deleted:/, 'deleted-').toLowerCase();
  }

  private placeOf(resource: string, value: unknown, { account_id, configuration }: InventoryResource): string | null {
    if (resource === 'project' && (value === undefined || value === null || value === ''))
      return account_id === undefined ? null : projectOf(account_id);
    if (typeof value !== 'string') return null;
    if (resource === 'folder' && !value.includes('${')) return folderOf(value);
    if (resource === 'organization' && !value.includes('${')) return organizationOf(value);
    if (resource === 'project' && !value.includes('${')) return projectOf(value);
    const uid = this.names.find(value, [`google_${resource}`], text(configuration['project']) ?? account_id);
    return uid ?? (value.includes('${') ? null : written(value));
  }

  private deny(asset: InventoryResource): void {
    const { resource_uid: uid, configuration } = asset;
    const parent = text(configuration['parent']);
    const place = parent === undefined ? null : decodeURIComponent(parent).replace(/^cloudresourcemanager\.googleapis\.com\//, '');
    blocks(configuration['rules']).forEach((rule, n) => {
      const said = block(rule['deny_rule']) ?? {};
      const permissions = (key: string) => strings(said[key]).map((name) => name.replace('.googleapis.com/', '.'));
      this.bound.push({
        subjects: strings(said['denied_principals']).map(asMember),
        spares: strings(said['exception_principals']).map(asMember),
        rule: {
          uid,
          label: text(rule['description']) ?? `rules[${n}]`,
          effect: 'deny',
          actions: { include: permissions('denied_permissions'), exclude: permissions('exception_permissions') },
          resources: only(place),
          condition: conditionIf(block(said['denial_condition']) !== undefined),
          via: [],
        },
      });
    });
  }
}

/** A principal of a deny policy as allow policies write it. */
const asMember = (principal: string): string =>
  principal
    .toLowerCase()
    .replace(/^principalset:\/\/goog\/public:all$/, EVERYBODY)
    .replace(/^principal:\/\/goog\/subject\//, 'user:')
    .replace(/^principalset:\/\/goog\/group\//, 'group:')
    .replace(/^principal:\/\/iam\.googleapis\.com\/projects\/-\/serviceaccounts\//, 'serviceaccount:');

const strings = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string' && one !== '');
const reference = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const written = (name: string): string => name.replace(/^(?:https:)?\/\/[^/]+\/(?:[a-z]+\/v\d+\/)?/, '');
const projectOf = (id: string): string => (id.startsWith('projects/') ? id : `projects/${id}`);
const folderOf = (id: string): string => (id.startsWith('folders/') ? id : `folders/${id}`);
const organizationOf = (id: string): string => (id.startsWith('organizations/') ? id : `organizations/${id}`);
