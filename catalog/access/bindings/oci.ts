import { z } from 'zod';
import { text } from '../../cel/read.js';
import { isUnknown } from '../../names.js';
import type { InventoryResource } from '../../resource.js';
import { only } from '../pattern.js';
import type { Place } from '../place.js';
import { privilegesSchema, readTable } from '../table.js';
import { addTo, conditionIf, GatheredBindings } from './bound.js';

const schema = z.strictObject({
  provider: z.literal('oci'),
  verbs: z.array(z.string()),
  families: z.record(z.string(), z.array(z.string())),
  privileges: privilegesSchema,
});

const STATEMENT =
  /^\s*(allow|deny)\s+(any-user|any-group|(?:group|dynamic-group|service|resource)\s+.+?)\s+to\s+(\{[^}]*\}|[a-z]+)(?:\s+([\w-]+))?\s+in\s+(tenancy|compartment\s+.+?)(?:\s+where\s+([\s\S]+))?\s*$/i;

/** The kinds of subject, and the types that are called so. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  group: ['oci_identity_group', 'oci_identity_domains_group'],
  'dynamic-group': ['oci_identity_dynamic_group', 'oci_identity_domains_dynamic_resource_group'],
};
const IDENTITIES = new Set(['oci_identity_user', 'oci_identity_domains_user', ...Object.values(KINDS).flat()]);
const EVERYBODY = 'any-user';

/** Policy statements over compartments (Oracle Cloud Infrastructure IAM, "Policy Syntax", "Verbs"). Actions are `verb:resource-type`. */
export class OciBindings extends GatheredBindings {
  // any-user is whoever signs a request as one of the tenancy: nobody from outside
  readonly everybody = [];
  readonly privileges;
  private readonly table;
  /** The compartments in each compartment. */
  private readonly compartments = new Map<string, Set<string>>();

  constructor(assets: readonly InventoryResource[]) {
    super();
    this.table = readTable(schema, 'oci');
    this.privileges = this.table.privileges;
    for (const asset of assets) {
      this.assets.set(asset.resource_uid, asset);
      this.names.add(asset, asset.resource_type, { names: ['display_name'] });
      if (IDENTITIES.has(asset.resource_type)) this.identities.push(asset.resource_uid);
    }
    for (const asset of assets) {
      const { resource_type: type, configuration } = asset;
      if (type === 'oci_identity_user_group_membership') {
        const [user, group] = ['user_id', 'group_id'].map((key) => this.uidOf(configuration[key]));
        if (user !== undefined && group !== undefined) addTo(this.groupsOf, user, group);
      }
      if (type === 'oci_identity_policy') this.read(asset);
      const parent = type === 'oci_identity_compartment' ? this.uidOf(configuration['compartment_id']) : undefined;
      if (parent !== undefined) addTo(this.compartments, parent, asset.resource_uid);
    }
  }

  /** An identity by its uid; `service:NAME` for one of Oracle's; `*` for anybody who signs a request. */
  namesOf(who: string): string[] {
    return who === '*' ? [EVERYBODY] : [this.assets.has(who) ? who : who.toLowerCase(), EVERYBODY];
  }

  placesOf(resource: string): string[] {
    const asset = this.assets.get(resource) ?? this.assets.get(this.names.find(resource, []) ?? '');
    const places = new Set([asset?.resource_uid ?? resource]);
    for (let at = asset, depth = 0; at !== undefined && depth < 10; depth += 1) {
      const parent = at.configuration['compartment_id'];
      if (typeof parent !== 'string' || parent === '') break;
      const uid = this.names.find(parent, []);
      if (uid !== undefined && places.has(uid)) break;
      places.add(uid ?? parent);
      at = uid === undefined ? undefined : this.assets.get(uid);
    }
    if (asset?.account_id !== undefined) places.add(asset.account_id);
    return [...places];
  }

  place(name: string): Place | undefined {
    if (this.accounts().includes(name)) return { within: [name], pattern: null, whole: true };
    const asset = this.assets.get(name) ?? this.assets.get(this.names.find(name, []) ?? '');
    if (asset !== undefined && asset.resource_type !== 'oci_identity_compartment') return { named: [asset.resource_uid] };
    const tenancy = asset?.account_id ?? (this.accounts().length === 1 ? this.accounts()[0] : '');
    // what lies in a compartment lies in those that hold it
    const within = new Set([name]);
    for (const uid of within) {
      const id = text(this.assets.get(uid)?.configuration['id']);
      if (id !== undefined) within.add(id);
      for (const inner of this.compartments.get(uid) ?? []) within.add(inner);
    }
    return { within: [...within].map((one) => `${tenancy}/${one}`), pattern: null, whole: false };
  }

  private uidOf(value: unknown): string | undefined {
    return typeof value === 'string' && value !== '' ? (this.names.find(value, []) ?? value) : undefined;
  }

  private read(asset: InventoryResource): void {
    const { resource_uid: uid, configuration } = asset;
    const statements = Array.isArray(configuration['statements']) ? (configuration['statements'] as unknown[]) : [];
    statements.forEach((statement, n) => {
      if (typeof statement === 'string') this.add(asset, statement, n);
      else this.hidden(uid, `statements[${n}]`);
    });
    if (isUnknown(asset, 'statements')) this.hidden(uid, 'statements');
  }

  /** Something that may give anything to anybody. */
  private hidden(uid: string, label: string): void {
    this.unseen.set(uid, `${uid} (${label})`);
    this.bound.push({
      subjects: [EVERYBODY],
      rule: { uid, label, effect: 'allow', actions: only(null), resources: only(null), condition: () => true, via: [] },
    });
  }

  private add(asset: InventoryResource, statement: string, n: number): void {
    const { resource_uid: uid } = asset;
    // what is between tenancies has statements of its own: define, endorse, admit
    if (/^\s*(?:define|endorse|admit)\b/i.test(statement)) return;
    const [, effect = '', subject = '', verb = '', type, location = '', where] = STATEMENT.exec(statement) ?? [];
    if (effect === '') return this.hidden(uid, `statements[${n}]`);
    this.bound.push({
      subjects: this.subjectsOf(subject, asset),
      rule: {
        uid,
        label: `statements[${n}]`,
        effect: effect.toLowerCase() === 'deny' ? 'deny' : 'allow',
        // permissions by name are not verbs: what they come to is not told here
        actions: verb.startsWith('{')
          ? only(null)
          : only(...this.actionsOf(verb.toLowerCase(), (type ?? '').toLowerCase(), effect.toLowerCase() === 'deny')),
        resources: only(this.placeOf(location, asset)),
        condition: conditionIf(where !== undefined),
        via: [],
      },
    });
  }

  /** A verb holds all before it; denied, all behind it go with it. */
  private actionsOf(verb: string, type: string, denied: boolean): string[] {
    const at = this.table.verbs.indexOf(verb);
    if (at < 0) return [];
    const verbs = denied ? this.table.verbs.slice(at) : this.table.verbs.slice(0, at + 1);
    const types = type === 'all-resources' ? ['*'] : [type, ...(this.table.families[type] ?? [])];
    if (type === 'all-resources' && verbs.length === this.table.verbs.length) return ['*'];
    return verbs.flatMap((one) => types.map((name) => `${one}:${name}`));
  }

  private subjectsOf(subject: string, { account_id }: InventoryResource): string[] {
    if (/^any-/i.test(subject)) return [EVERYBODY];
    const [, kind = '', list = ''] = /^(\S+)\s+([\s\S]+)$/.exec(subject) ?? [];
    return list.split(',').map((one) => {
      const name = one
        .trim()
        .replace(/^id\s+/i, '')
        .replaceAll("'", '')
        .split('/')
        .at(-1)!;
      const kinds = KINDS[kind.toLowerCase()];
      if (kinds === undefined) return `${kind.toLowerCase()}:${name.toLowerCase()}`;
      return this.names.find(name, kinds, account_id) ?? `${kind.toLowerCase()}:${name.toLowerCase()}`;
    });
  }

  private placeOf(location: string, { configuration, account_id }: InventoryResource): string | null {
    const name = location.replace(/^compartment\s+(?:id\s+)?/i, '').trim();
    if (/^tenancy$/i.test(name)) return account_id ?? this.uidOf(configuration['compartment_id']) ?? null;
    const own = this.uidOf(configuration['compartment_id']);
    const last = name.split(':').at(-1)!;
    const found = this.names.find(last.includes('${') || last.startsWith('ocid') ? last : last, ['oci_identity_compartment'], account_id);
    // a policy of a compartment may name the compartment itself
    if (found === undefined && own !== undefined && text(this.assets.get(own)?.configuration['name']) === last) return own;
    return found ?? (last.startsWith('ocid') ? last : null);
  }
}
