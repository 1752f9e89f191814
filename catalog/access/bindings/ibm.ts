import { z } from 'zod';
import { matchesPattern } from '../../cel/policy.js';
import { blocks, flag, text } from '../../cel/read.js';
import type { InventoryResource } from '../../resource.js';
import { only } from '../pattern.js';
import type { Place } from '../place.js';
import { privilegesSchema, readTable } from '../table.js';
import type { AccessRule, Patterns } from '../types.js';
import { addTo, conditionIf, GatheredBindings } from './bound.js';

const schema = z.strictObject({
  provider: z.literal('ibm'),
  roles: z.record(z.string(), z.array(z.string())),
  access_services: z.array(z.string()),
  services: z.record(z.string(), z.string()),
  privileges: privilegesSchema,
});

/** Policies, and the attributes that name who gets them. */
const HOLDERS: Readonly<Record<string, readonly string[]>> = {
  ibm_iam_user_policy: ['ibm_id', 'iam_id'],
  ibm_iam_access_group_policy: ['access_group_id'],
  ibm_iam_service_policy: ['iam_service_id', 'iam_id'],
  ibm_iam_trusted_profile_policy: ['profile_id', 'iam_id'],
};
const IDENTITIES = new Set(['ibm_iam_access_group', 'ibm_iam_service_id', 'ibm_iam_trusted_profile']);
/** What a policy says of the resources that it is about; a resource is named by all of them. */
const ATTRIBUTES = ['serviceName', 'resourceGroupId', 'serviceInstance', 'resourceType', 'resource'] as const;
type Attribute = (typeof ATTRIBUTES)[number];
const OF_BLOCK: Readonly<Record<string, Attribute>> = {
  service: 'serviceName',
  resource_group_id: 'resourceGroupId',
  resource_instance_id: 'serviceInstance',
  resource_type: 'resourceType',
  resource: 'resource',
};

/** Access policies of IBM Cloud (IBM Cloud IAM, "How IBM Cloud IAM works", "IAM roles and actions"). */
export class IbmBindings extends GatheredBindings {
  readonly everybody = [];
  readonly privileges;
  private readonly table;

  constructor(assets: readonly InventoryResource[]) {
    super();
    this.table = readTable(schema, 'ibm');
    this.privileges = this.table.privileges;
    for (const asset of assets) {
      this.assets.set(asset.resource_uid, asset);
      if (asset.resource_type in HOLDERS || asset.resource_type === 'ibm_iam_access_group_members') continue;
      this.names.add(asset, asset.resource_type, { ids: ['iam_id', 'profile_id'] });
      if (IDENTITIES.has(asset.resource_type)) this.identities.push(asset.resource_uid);
    }
    for (const asset of assets) this.bind(asset);
  }

  namesOf(who: string): string[] {
    return [this.assets.has(who) ? who : who.toLowerCase()];
  }

  placesOf(resource: string): string[] {
    if (this.privileges.whole.test(resource)) return [resource];
    const asset = this.assets.get(resource) ?? this.assets.get(this.names.find(resource, []) ?? '');
    const { configuration = {}, resource_type = '', account_id } = asset ?? {};
    const crn = text(configuration['crn']) ?? (resource.startsWith('crn:') ? resource : asset?.resource_uid);
    const parts = crn?.startsWith('crn:') ? crn.split(':') : [];
    const value: Record<Attribute, string | undefined> = {
      serviceName: parts[4] ?? (text(configuration['service']) || this.table.services[resource_type]),
      resourceGroupId: text(configuration['resource_group_id']) ?? text(configuration['resource_group']),
      serviceInstance:
        parts[7] ??
        text(configuration['guid']) ??
        text(configuration['resource_instance_id'])?.split(':')[7] ??
        text(configuration['instance_id']),
      resourceType: parts[8],
      resource: parts[9] ?? text(configuration['bucket_name']) ?? text(configuration['key_id']),
    };
    const account = parts[6]?.replace('a/', '') ?? account_id ?? '';
    return [placeOf(account, (attribute) => value[attribute] || '-')];
  }

  place(name: string): Place | undefined {
    const [account = '', , group = '*', ...own] = name.split('/');
    if (own.every((part) => part === '*'))
      return { within: [group === '*' ? account : `${account}/${group}`], pattern: null, whole: group === '*' };
    const named = [...this.assets.keys()].filter((uid) => this.placesOf(uid).some((place) => matchesPattern(name, place)));
    return named.length === 0 ? undefined : { named };
  }

  private bind(asset: InventoryResource): void {
    const { resource_uid: uid, resource_type: type, configuration, account_id } = asset;
    if (type === 'ibm_iam_access_group_members') {
      const [group = ''] = this.uidsOf(configuration['access_group_id']);
      for (const key of ['ibm_ids', 'iam_service_ids', 'iam_profile_ids'])
        for (const member of this.uidsOf(configuration[key])) addTo(this.groupsOf, member, group);
      return;
    }
    const holders = HOLDERS[type];
    if (holders === undefined) return;
    const conditional = blocks(configuration['rule_conditions']).length > 0;
    const resources = this.resourcesOf(asset, account_id ?? '');
    const rule: AccessRule = {
      uid,
      label: strings(configuration['roles']).join(', '),
      effect: 'allow',
      actions: this.actionsOf(uid, strings(configuration['roles']), this.servicesOf(configuration, resources)),
      resources,
      condition: conditionIf(conditional),
      via: [],
    };
    this.bound.push({ subjects: holders.flatMap((key) => this.uidsOf(configuration[key])), rule });
  }

  /** The services of whose roles a policy is. */
  private servicesOf(configuration: InventoryResource['configuration'], { include }: Patterns): readonly string[] {
    if (flag(configuration['account_management'])) return this.table.access_services;
    return [...new Set(include.map((place) => place?.split('/')[1] ?? '*'))];
  }

  private actionsOf(uid: string, roles: readonly string[], services: readonly string[]): Patterns {
    const include = roles.flatMap((role) => {
      const name = role.startsWith('crn:') ? (role.split(':').at(-1) ?? role) : role;
      const held = this.table.roles[name];
      if (held === undefined) this.unseen.set(uid, name);
      return held === undefined ? [null] : held.flatMap((one) => services.map((service) => `${service}:${one}`));
    });
    return { include, exclude: [] };
  }

  /** The places that a policy names: all its attributes at once. Without any, every service of the account. */
  private resourcesOf({ configuration }: InventoryResource, account: string): Patterns {
    const written = [...blocks(configuration['resources'])].map((resource) => {
      const found = new Map<Attribute, string | null>();
      for (const [key, attribute] of Object.entries(OF_BLOCK))
        if (resource[key] !== undefined && resource[key] !== null && resource[key] !== '')
          found.set(attribute, text(resource[key]) ?? null);
      return found;
    });
    const attributes = blocks(configuration['resource_attributes']);
    if (attributes.length > 0) written.push(new Map(attributes.map((one) => [text(one['name']) as Attribute, text(one['value']) ?? null])));
    if (written.length === 0) return only(placeOf(account, () => '*'));
    return only(
      ...written.map((found) =>
        [...found.values()].includes(null)
          ? null
          : placeOf(
              account,
              (attribute) =>
                found
                  .get(attribute)
                  ?.split(':')
                  .at(attribute === 'serviceInstance' && found.get(attribute)!.startsWith('crn:') ? 7 : 0) ?? '*',
            ),
      ),
    );
  }

  private uidsOf(value: unknown): string[] {
    return strings(value).map((name) => this.names.find(name, [...IDENTITIES]) ?? name.toLowerCase());
  }
}

const strings = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string' && one !== '');

const placeOf = (account: string, value: (attribute: Attribute) => string): string =>
  `${account}/${ATTRIBUTES.map((attribute) => value(attribute)).join('/')}`;
