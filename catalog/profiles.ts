import { loadFrameworks, rulesOfControl } from './assessed.js';
import { loadCatalog } from './catalog.js';
import type { Control, Framework } from './frameworks.js';
import type { Rule } from './types.js';

/** What is reported where nobody chooses: what a reviewer would defend on every estate. */
export const DEFAULT_PROFILE = 'recommended';
/** Every rule of the catalog. */
export const ALL_RULES = 'all';

/** The profiles that are no framework's; the others are named by the ids of frameworks. */
const OWN_PROFILES = [DEFAULT_PROFILE, 'cis-1', 'cis-2', ALL_RULES] as const;

/** Which rules of the catalog raise findings. All are evaluated, whatever the profile: results and frameworks are of all of them. */
export interface Profile {
  readonly name: string;
  /** Whether a rule of the catalog is in it. */
  has(rule: Pick<Rule, 'rule_id'>): boolean;
}

/** The names of all profiles: the catalog's own, and one a framework that rules assess. */
export const profileNames = (): readonly string[] => (names ??= [...OWN_PROFILES, ...byFramework().keys()]);
let names: readonly string[] | undefined;

const loaded = new Map<string, Profile>();

/** A profile; undefined for a name that there is none of. The frameworks are read only where they are asked for. */
export function findProfile(name: string): Profile | undefined {
  let profile = loaded.get(name);
  if (profile === undefined) {
    const ids = idsOf(name);
    if (ids === undefined) return undefined;
    profile = { name, has: ids === ALL_RULES ? () => true : ({ rule_id }) => ids.has(rule_id) };
    loaded.set(name, profile);
  }
  return profile;
}

/** A profile by its name, which has been checked when it was stored; one that an earlier release knew and this one does not is the usual one. */
export const profileOrDefault = (name: string): Profile => findProfile(name) ?? findProfile(DEFAULT_PROFILE)!;

/** The names of the profiles that a rule of the catalog is in. */
export const profilesOf = (rule: Pick<Rule, 'rule_id'>): string[] => profileNames().filter((name) => findProfile(name)!.has(rule));

function idsOf(name: string): ReadonlySet<string> | typeof ALL_RULES | undefined {
  switch (name) {
    case ALL_RULES:
      return ALL_RULES;
    case DEFAULT_PROFILE:
      return new Set(loadCatalog().rules.flatMap(({ rule_id, recommended }) => (recommended ? [rule_id] : [])));
    case 'cis-1':
      return benchmarkRules((level) => level === 1);
    case 'cis-2':
      return benchmarkRules(() => true);
    default:
      return byFramework().get(name);
  }
}

/** The rules that assess controls of these levels in the editions of the CIS benchmarks that tell levels: one a provider. */
function benchmarkRules(wants: (level: 1 | 2) => boolean): Set<string> {
  const editions = loadFrameworks().filter(({ level_2 }) => level_2 !== undefined);
  return new Set(
    editions.flatMap((edition) =>
      idsOfControls(
        edition,
        edition.controls.filter(({ control_id }) => wants(edition.level_2!.includes(control_id) ? 2 : 1)),
      ),
    ),
  );
}

let frameworkRules: ReadonlyMap<string, ReadonlySet<string>> | undefined;

function byFramework(): ReadonlyMap<string, ReadonlySet<string>> {
  frameworkRules ??= new Map(
    loadFrameworks()
      .map((framework) => [framework.framework_id, new Set(idsOfControls(framework, framework.controls))] as const)
      .filter(([, ids]) => ids.size > 0),
  );
  return frameworkRules;
}

const idsOfControls = ({ providers }: Framework, controls: readonly Control[]): string[] =>
  controls.flatMap((control) => rulesOfControl(control, providers).map(({ rule_id }) => rule_id));
