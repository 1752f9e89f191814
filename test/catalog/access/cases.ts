import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import type { InventoryResource } from '../../../catalog/resource.js';

type Resources = Record<string, [type: string, configuration: Record<string, unknown>, more?: { account?: string; unknown?: string[] }]>;

/** One hand-made estate: what differs from the base of its provider, a question, and the provider's documented answer. */
export interface Case {
  name: string;
  base?: string;
  with?: Resources;
  without?: string[];
  ask: [who: string, action: string, resource: string];
  session?: unknown;
  answer: string;
  /** The resources whose statements decide it. */
  by?: string[];
  assumed?: string[];
}

interface Estates {
  provider: string;
  account: string;
  bases: Record<string, Resources>;
  cases: Case[];
}

export const estatesOf = (provider: string): Estates => load(readFileSync(join(__dirname, 'cases', `${provider}.yaml`), 'utf8')) as Estates;

/** The resources of a case. */
export function assetsOf(
  { provider, account, bases }: Estates,
  { base = 'plain', with: more = {}, without = [] }: Case,
): InventoryResource[] {
  return Object.entries({ ...bases[base], ...more })
    .filter(([uid]) => !without.includes(uid))
    .map(([uid, [type, configuration, rest]]) => ({
      resource_uid: uid,
      resource_type: type,
      provider,
      account_id: rest?.account ?? account,
      resource_name: undefined,
      configuration: { name: uid, ...configuration },
      unknown_paths: rest?.unknown,
    }));
}
