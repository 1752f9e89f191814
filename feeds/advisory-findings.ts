import type { NamedComponent } from '../catalog/advisories/packages.js';
import { vulnerabilityItems } from '../importers/normalize/package-vulnerability.js';
import { ReportItems, safeId, type PlaceDraft } from '../importers/normalize/observation.js';
import { packageIdentity, packageKey } from '../importers/normalize/purl.js';
import { ADVISORY_SOURCE } from '../kit/findings/other-sources.js';
import { SEVERITIES, type Severity } from '../schema/model.js';
import type { Observation, RuleInput } from '../schema/observations.js';
import type { AdvisoryFacts, VulnerableComponent } from './vulnerable-components.js';

const ADVISORY_PAGE = 'https://osv.dev/vulnerability/';

/** By what findings in a component are told from those in others of the artifact: alike by all tools. */
export const discriminatorOf = (component: Pick<NamedComponent, 'name' | 'version' | 'ecosystem' | 'purl'>): string =>
  safeId(packageIdentity(packageOf(component)));

/** What the findings in a component may be told apart by, as stored: today's, and what earlier releases wrote, which has the distribution in it. */
export const discriminatorsOf = (component: Pick<NamedComponent, 'name' | 'version' | 'ecosystem' | 'purl'>): readonly string[] => [
  discriminatorOf(component),
  safeId(packageKey(packageOf(component))),
];

/** A discriminator as today's: what an earlier release told has the distribution in it. */
export const discriminatorToday = (discriminator: string): string =>
  discriminator.startsWith('pkg:') ? safeId(packageIdentity({ name: discriminator, purl: discriminator })) : discriminator;

const packageOf = ({ name, version, ecosystem, purl }: Pick<NamedComponent, 'name' | 'version' | 'ecosystem' | 'purl'>) => ({
  ...{ name, version: version ?? undefined, ecosystem: ecosystem ?? undefined, purl: purl ?? undefined },
});

/** Makes what is stored of vulnerable components in artifacts: as a scanner would report it, so that one that does so makes no second finding. */
export class AdvisoryFindings {
  private readonly items = new ReportItems();

  /** The observation of a component that advisories are about, behind its rule where that was not given yet; of what was told already nothing. */
  of({ component, rule_id, advisories, fixedVersions }: VulnerableComponent<NamedComponent>, place: PlaceDraft): ToldVulnerability {
    const ids = advisories.map(({ _id }) => _id);
    const score = Math.max(...advisories.map(({ cvss }) => cvss ?? -1));
    const told = vulnerabilityItems(
      {
        source: ADVISORY_SOURCE,
        advisory: {
          id: ids[0]!,
          aliases: [rule_id, ...ids, ...advisories.flatMap(({ aliases }) => aliases)].filter((name) => isNameOf(name, rule_id)),
          title: advisories.find(({ summary }) => summary !== null)?.summary ?? undefined,
          severity: score < 0 ? worst(advisories) : undefined,
          ratings: score < 0 ? [] : [{ score }],
          urls: ids.map((id) => `${ADVISORY_PAGE}${encodeURIComponent(id)}`),
          fixedVersions,
          modifiedAt: advisories
            .map(({ modified }) => modified)
            .sort()
            .at(-1),
        },
        package: packageOf(component),
        place,
        evidence: { artifact: place.resource_uid, advisories: ids, database: 'osv' },
        position: 'advisories',
      },
      this.items,
    );
    return {
      rules: told.flatMap((item) => (item.kind === 'rule' ? [item.rule] : [])),
      observations: told.flatMap((item) => (item.kind === 'observation' ? [item.observation] : [])),
    };
  }
}

/** What is told of one vulnerability: nothing, or its observation with its rule before it. */
export interface ToldVulnerability {
  readonly rules: readonly RuleInput[];
  readonly observations: readonly Observation[];
}

/** Errata are about several CVEs, each of which is a finding: the name of one is none of another. */
const isNameOf = (name: string, ruleId: string): boolean => name === ruleId || !/^CVE-/i.test(name) || !/^CVE-/i.test(ruleId);

const worst = (advisories: readonly AdvisoryFacts[]): Severity | undefined =>
  SEVERITIES.find((severity) => advisories.some((advisory) => advisory.severity === severity));
