import type { ImportItem } from '../types.js';
import type { CloudPlace } from './cloud-resource.js';
import { detailOf, findingItems, type ReportedFinding } from './finding-items.js';
import type { ReportItems } from './observation.js';
import { findTechniques, tacticId } from './taxonomy.js';

/** What a product that looks at clouds says of one resource: the result of a check, or something that it saw happen. */
export interface CloudFinding extends Omit<ReportedFinding, 'mitreTechniques' | 'mitreTactics'> {
  result: 'FAIL' | 'PASS';
  place: CloudPlace;
  /** Texts that name techniques, and names of tactics, of MITRE ATT&CK. */
  techniques?: readonly string[];
  tactics?: readonly string[];
}

/** The items of one finding on a resource of a cloud: the rule the first time, and the observation. */
export function cloudItems({ techniques = [], tactics = [], ...found }: CloudFinding, items: ReportItems): ImportItem[] {
  const { hasRegion: _hasRegion, ...place } = found.place;
  const reported = {
    ...{ ...found, place },
    ruleProvider: place.provider,
    mitreTechniques: findTechniques(techniques),
    mitreTactics: [...new Set(tactics.flatMap((name) => tacticId(name) ?? []))],
    evidence: { status_detail: detailOf(found.detail), risk: found.rationale, ...found.evidence },
  };
  return findingItems(reported, [found.detail], items);
}
