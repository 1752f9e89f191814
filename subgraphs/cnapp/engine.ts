import { defineFindingEngine } from '../../kit/findings/engine.js';
import { evidence, shownEvidence } from './evidence.js';
import { countGroups } from './overview/count.js';
import { overviewPart } from './overview/part.js';
import { combineAfterRun, combineDaily } from './stage.js';

const SUBCATEGORIES = {
  combination: { code: 'combination', label: 'Combinations' },
} as const;

export const engine = defineFindingEngine({
  name: 'cnapp',
  label: 'Toxic combinations',
  description: 'Combinations of findings of other engines that are worse together.',
  prefixes: ['cnapp'],
  parts: [overviewPart],
  ingest: {
    async conclude(context, run) {
      await combineAfterRun(context, run);
      await countGroups(context, run);
    },
    // the daily derivations are concluded as a run is
    daily: combineDaily,
  },
  findings: {
    viewSegment: 'cnapp',
    permission: 'risk:read',
    evidence,
    shownEvidence,
    ruleType: 'threat',
    module: { code: 'cnapp', label: 'Toxic combinations' },
    subcategory: () => SUBCATEGORIES.combination,
    extensions: ({ evidence: { combination, group, parts, sources } }) => ({
      combination: { name: combination ?? null, group: group ?? null, parts: parts ?? [], sources: sources ?? [] },
    }),
  },
});
