import { defineEngine } from '../../kit/engine/engine.js';
import { jewelsPart } from './jewels/part.js';
import { proposeJewels } from './jewels/propose.js';
import { reckoningPart } from './reckoning/part.js';
import { reckonRisk } from './reckoning/reckon.js';
import { settingsPart } from './settings/part.js';

export const engine = defineEngine({
  name: 'risk',
  label: 'Risk',
  description: 'What the business stands to lose, and by which ways.',
  prefixes: ['risk'],
  typeDefs: '',
  resolvers: {},
  parts: [jewelsPart, settingsPart, reckoningPart],
  ingest: {
    derive: proposeJewels,
    daily: proposeJewels,
    conclude: reckonRisk,
  },
});
