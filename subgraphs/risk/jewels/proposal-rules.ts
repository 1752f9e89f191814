import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';
import { DATA_CLASSES, dataClassOf } from '../../../catalog/data-classes.js';
import { facetOf, facetSources } from '../../../catalog/facets.js';
import { JEWEL_TIERS, type JewelKind, type JewelTier } from '../../../kit/read/crown-jewels.js';
import type { ReadClassified } from '../../../kit/read/inventory.js';
import { ENVIRONMENTS } from '../../../schema/model.js';

const tier = z.enum(JEWEL_TIERS);
const rulesSchema = z.strictObject({
  criticality: z.strictObject({ critical: tier, high: tier }),
  data_classes: z.record(z.enum(DATA_CLASSES as [string, ...string[]]), tier),
  production_database: tier,
  shared_key: z.strictObject({ users: z.int().min(2), tier }),
  lesser_environments: z.array(z.enum(ENVIRONMENTS)),
});

export const RULES = rulesSchema.parse(load(readFileSync(new URL('./proposals.yaml', import.meta.url), 'utf8')));

/** A reason for which facts propose a resource. */
export interface Reason {
  readonly tier: JewelTier;
  readonly text: string;
}

const KEPT_KINDS: readonly unknown[] = ['object', 'file', 'table', 'warehouse', 'search', 'backup'];
const KEY_KINDS: Readonly<Record<string, JewelKind>> = { kms_key: 'key', secret: 'secret' };

let kinds: ReadonlyMap<string, JewelKind> | undefined;

/** What each resource type is that facts propose: databases, stores that keep, keys and secrets, models. Disks, queues and certificates are none. */
export function jewelKinds(): ReadonlyMap<string, JewelKind> {
  if (kinds) return kinds;
  const found = new Map<string, JewelKind>();
  for (const type of facetOf('model').types) found.set(type, 'model');
  for (const { name, lines } of facetSources())
    for (const { type: types, fields } of lines) {
      const [source, ...others] = fields['kind'] ?? [];
      const kind = source && 'value' in source && others.length === 0 ? source.value : undefined;
      for (const type of types) {
        if (name === 'data_store' && KEPT_KINDS.includes(kind)) found.set(type, 'data_store');
        if (name === 'key' && typeof kind === 'string' && KEY_KINDS[kind]) found.set(type, KEY_KINDS[kind]);
      }
    }
  for (const type of facetOf('database').types) found.set(type, 'database');
  return (kinds = found);
}

/** The resource types of keys and secrets that others use. */
export const sharedKeyTypes = (): string[] =>
  [...jewelKinds()].flatMap(([type, kind]) => (kind === 'key' || kind === 'secret' ? [type] : []));

/** Why what it is for proposes a resource; nothing where it does not. */
export function reasonsOf({ resource_type, criticality, environment, data_classes, planned }: ReadClassified): Reason[] {
  const kind = jewelKinds().get(resource_type);
  if (kind === undefined || planned) return [];
  const reasons: Reason[] = [];
  if (criticality === 'critical' || criticality === 'high')
    reasons.push({ tier: RULES.criticality[criticality], text: `Its criticality is ${criticality}.` });
  for (const word of data_classes) {
    const known = dataClassOf(word);
    if (known !== null) reasons.push({ tier: RULES.data_classes[known]!, text: `It holds data of the class ${word}.` });
  }
  if (kind === 'database' && environment === 'production')
    reasons.push({ tier: RULES.production_database, text: 'It is a database of the production environment.' });
  const isLesser = environment !== null && RULES.lesser_environments.includes(environment);
  return isLesser ? reasons.map((reason) => ({ ...reason, tier: nextLower(reason.tier) })) : reasons;
}

/** Why a key or a secret that so many use is proposed; null where they are few. */
export const sharedReason = (users: number): Reason | null =>
  users < RULES.shared_key.users
    ? null
    : { tier: RULES.shared_key.tier, text: `${users} resources are encrypted with it, read it or sign in with it.` };

/** The worst of some tiers. */
export const worstTier = (reasons: readonly Reason[]): JewelTier =>
  JEWEL_TIERS.find((one) => reasons.some((reason) => reason.tier === one))!;

const nextLower = (one: JewelTier): JewelTier => JEWEL_TIERS[Math.min(JEWEL_TIERS.indexOf(one) + 1, JEWEL_TIERS.length - 1)]!;
