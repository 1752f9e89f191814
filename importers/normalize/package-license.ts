import type { Severity } from '../../schema/model.js';
import type { ImportItem } from '../types.js';
import { toReferences, type PlaceDraft, type ReportItems } from './observation.js';

/** A license that a scanner objects to. */
export interface PackageLicense {
  /** The scanner. */
  source: string;
  license: string;
  severity: Severity;
  place: PlaceDraft;
  packageName?: string | undefined;
  /** Where it stands: the file, or what declares the package. */
  file?: string | undefined;
  guidance?: string | undefined;
  urls?: readonly (string | undefined)[];
  evidence?: Record<string, unknown>;
  position: string;
}

/** The items of one license of one package: the rule the first time, and the observation of the engine `secops`. */
export function licenseItems(found: PackageLicense, items: ReportItems): ImportItem[] {
  const { license, packageName, file, source } = found;
  const ruleId = `license/${license}`;
  const about = {
    severity: found.severity,
    references: toReferences(found.urls ?? []),
    remediation: { guidance: found.guidance },
  };
  const draft = {
    about,
    place: found.place,
    engine: 'secops',
    result: 'FAIL',
    rule_id: ruleId,
    title: `License ${license}${packageName === undefined ? '' : ` of ${packageName}`}`,
    source,
    discriminator: [packageName ?? '', file ?? ''].join('@'),
    evidence: { license, package_name: packageName, file, ...found.evidence },
    position: found.position,
    content: '',
  } as const;
  return items.of(ruleId, draft, () => ({
    ...about,
    rule_id: ruleId,
    engine: 'secops',
    title: `License ${license}`,
    source,
    tags: ['license'],
  }));
}
