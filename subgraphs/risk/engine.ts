import { defineEngine } from '../../kit/engine/engine.js';
import { jewelsPart } from './jewels/part.js';
import { proposeJewels } from './jewels/propose.js';
import { settingsPart } from './settings/part.js';

export const engine = defineEngine({
  name: 'risk',
  label: 'Risk',
  description: 'What the business stands to lose, and by which ways.',
  prefixes: ['risk'],
  typeDefs: '',
  resolvers: {},
  parts: [jewelsPart, settingsPart],
  ingest: {
    derive: proposeJewels,
    daily: proposeJewels,
  },
});
