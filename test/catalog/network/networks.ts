import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import type { InventoryResource } from '../../../catalog/resource.js';

type Resources = Record<string, [type: string, configuration: Record<string, unknown>, unknown?: string[]]>;

/** One hand-made network: what differs from the base of its provider, a question, and the answer. */
export interface Case {
  name: string;
  base?: string;
  with?: Resources;
  without?: string[];
  ask?: [from: string, to: string, port: number | null, protocol?: string];
  answer?: string;
  /** Kind and resource of the hop that stops the packet or leaves the answer open. */
  stop?: [kind: string, uid: string | null];
  hops?: string[];
  exposed?: [uid: string, exposure: string, ports?: string];
}

interface Networks {
  provider: string;
  bases: Record<string, Resources>;
  cases: Case[];
}

export const networksOf = (provider: string): Networks =>
  load(readFileSync(join(__dirname, 'cases', `${provider}.yaml`), 'utf8')) as Networks;

/** The resources of a case. */
export function assetsOf({ provider, bases }: Networks, { base = 'plain', with: more = {}, without = [] }: Case): InventoryResource[] {
  return Object.entries({ ...bases[base], ...more })
    .filter(([uid]) => !without.includes(uid))
    .map(([uid, [type, configuration, unknown]]) => ({
      resource_uid: uid,
      resource_type: type,
      provider,
      configuration: { id: uid, ...configuration },
      unknown_paths: unknown,
    }));
}
