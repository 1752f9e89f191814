import { controlsOfRule, loadFrameworks, rulesOfControl } from './assessed.js';
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
export const profileNames = (): readonly string[] =>
  (names ??= [...OWN_PROFILES, ...loadFrameworks().flatMap((framework) => (isAssessed(framework) ? [framework.framework_id] : []))]);
let names: readonly string[] | undefined;

const loaded = new Map<string, Profile>();

/** A profile; undefined for a name that there is none of. Frameworks are read only for those that go by them. */
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

/** A profile that was checked when it was stored; of one that an earlier release knew and this one does not, the usual one. */
export const profileOrDefault = (name: string): Profile => findProfile(name) ?? findProfile(DEFAULT_PROFILE)!;

/** The names of the profiles that a rule of the catalog is in. */
export function profilesOf(rule: Pick<Rule, 'rule_id' | 'provider'>): string[] {
  const own = OWN_PROFILES.filter((name) => findProfile(name)!.has(rule));
  return [...own, ...new Set(controlsOfRule(rule).map(({ framework_id }) => framework_id))];
}

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
    default: {
      const framework = loadFrameworks().find(({ framework_id }) => framework_id === name);
      return framework && isAssessed(framework) ? new Set(idsOfControls(framework, framework.controls)) : undefined;
    }
  }
}

const isAssessed = ({ controls }: Framework): boolean => controls.some(({ selectors }) => selectors.length > 0);

/** The rules that assess controls of these levels in the editions of the CIS benchmarks that tell levels: one a provider. */
function benchmarkRules(wants: (level: 1 | 2) => boolean): Set<string> {
  const editions = loadFrameworks().filter(({ level_2 }) => level_2 !== undefined);
  const levelOf = ({ level_2 }: Framework, { control_id }: Control) => (level_2!.includes(control_id) ? 2 : 1);
  return new Set(
    editions.flatMap((edition) =>
      idsOfControls(
        edition,
        edition.controls.filter((control) => wants(levelOf(edition, control))),
      ),
    ),
  );
}

const idsOfControls = ({ providers }: Framework, controls: readonly Control[]): string[] =>
  controls.flatMap((control) => rulesOfControl(control, providers).map(({ rule_id }) => rule_id));
