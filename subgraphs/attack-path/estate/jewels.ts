import type { Jewel } from '../../../kit/graph/types.js';
import type { Estate } from './estate.js';

/** What attackers are after in an estate, beside the rights of its administrators: the crown jewels of what is there. */
export function jewelsOf(estate: Estate): Map<string, Jewel> {
  const jewels = new Map<string, Jewel>();
  for (const { resource_uid, tier, origin, reason } of estate.jewels.values())
    if (estate.assets.has(resource_uid)) jewels.set(resource_uid, { tier, origin, reason });
  return jewels;
}

/** The rights of an administrator: of an account everything that it has, of a cluster what runs in it. */
export const administratorJewel = (provider: string, account: string): Jewel => ({
  tier: provider === 'k8s' ? 'high' : 'critical',
  origin: 'administrator',
  reason: `every right in ${account === '' ? `a ${provider} cluster` : `${provider} ${account}`}`,
});
