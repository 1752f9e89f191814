import type { Jewel, Tier } from '../../../kit/graph/types.js';
import { pathModel } from '../model/model.js';
import type { Estate } from './estate.js';
import type { EstateAsset } from './types.js';

/** Classes of data that everybody may know. */
const HARMLESS = new Set(['public', 'none', 'internal', 'synthetic', 'test']);
/** What holds something that can be lost; an identity or a network does not. */
const HOLDS_SOMETHING = new Set<EstateAsset['role']>(['workload', 'store', 'database', 'secret', 'key', 'model']);

/** What is worth an attacker's while by its facts; null for what is not. */
export function proposed(asset: EstateAsset, keyUsers: number): Jewel | null {
  const { role, data_classes, criticality, environment } = asset;
  if (!HOLDS_SOMETHING.has(role)) return null;
  const told: { tier: Tier; reason: string }[] = [];
  if (criticality === 'critical' || criticality === 'high') told.push({ tier: criticality, reason: `its criticality is ${criticality}` });
  const classes = data_classes.filter((name) => !HARMLESS.has(name));
  if (classes.length > 0)
    told.push({ tier: environment === 'production' ? 'high' : 'medium', reason: `it holds data of the classes ${classes.join(', ')}` });
  if (role === 'database' && environment === 'production') told.push({ tier: 'high', reason: 'it is a database of production' });
  if (role === 'key' && keyUsers >= pathModel().key_users)
    told.push({ tier: 'high', reason: `${keyUsers} resources are encrypted with it` });
  if (told.length === 0) return null;
  const tier = told.some((one) => one.tier === 'critical') ? 'critical' : told.some((one) => one.tier === 'high') ? 'high' : 'medium';
  return { tier, origin: 'proposed', reason: told.map(({ reason }) => reason).join('; ') };
}

/** What attackers are after in an estate: what people have named, and what facts propose where people have not said otherwise. */
export function jewelsOf(estate: Estate): Map<string, Jewel> {
  const jewels = new Map<string, Jewel>();
  for (const [uid, asset] of estate.assets) {
    const jewel = proposed(asset, estate.edgesOf('encrypted_with').countInto(uid));
    if (jewel !== null) jewels.set(uid, jewel);
  }
  for (const { resource_uid, tier, reason } of estate.jewels.values()) {
    if (tier === null) jewels.delete(resource_uid);
    else if (estate.assets.has(resource_uid)) jewels.set(resource_uid, { tier, origin: 'set', reason });
  }
  return jewels;
}

/** The rights of an administrator: of an account everything that it has, of a cluster what runs in it. */
export const administratorJewel = (provider: string, account: string): Jewel => ({
  tier: provider === 'k8s' ? 'high' : 'critical',
  origin: 'administrator',
  reason: `every right in ${account === '' ? `a ${provider} cluster` : `${provider} ${account}`}`,
});
