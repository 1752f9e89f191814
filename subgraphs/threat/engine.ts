import { defineFindingEngine } from '../../kit/findings/engine.js';
import { momentOf } from '../../kit/findings/moment.js';
import { ingestIndicators } from './indicators/ingest.js';
import { indicators } from './indicators/part.js';
import { noteSightings } from './indicators/sightings.js';
import { coverage } from './mitre/part.js';
import { noteGone } from './resources/gone.js';
import { noteAssets, noteFiles, noteObservations } from './resources/note.js';
import { resources } from './resources/part.js';
import { named } from './named.js';
import { evidence } from './evidence.js';

const SUBCATEGORIES = {
  indicator: { code: 'indicator', label: 'Indicators' },
  technique: { code: 'technique', label: 'Techniques' },
} as const;

export const engine = defineFindingEngine({
  name: 'threat',
  label: 'Threat intelligence',
  description: 'Indicators and techniques that concern the estate.',
  prefixes: ['threat'],
  parts: [coverage, indicators, resources],
  ingest: {
    assets: noteAssets,
    components: noteFiles,
    observations: noteObservations,
    events: noteSightings,
    indicators: ingestIndicators,
    detected: named,
    gone: noteGone,
  },
  findings: {
    viewSegment: 'threat',
    permission: 'threat:read',
    evidence,
    ruleType: 'threat',
    happenedAt: ({ last_observed_at }) => momentOf(last_observed_at),
    module: { code: 'threat', label: 'Threats' },
    subcategory: ({ evidence: { indicator } }) => (indicator != null ? SUBCATEGORIES.indicator : SUBCATEGORIES.technique),
    extensions: ({ evidence: { indicator, indicator_type, actor } }) => ({
      threat: { indicator: indicator ?? null, indicator_type: indicator_type ?? null, actor: actor ?? null },
    }),
  },
});
