import { defineEngine } from '../../kit/engine/engine.js';
import { cloudAccountsPart } from './accounts/part.js';
import { directoryPart } from './directory/part.js';
import { templatesPart } from './templates/part.js';

export const engine = defineEngine({
  name: 'onboarding',
  label: 'Onboarding',
  description: 'Cloud accounts: how they are prepared, connected and grouped, and how each of them stands.',
  prefixes: [],
  typeDefs: '',
  resolvers: {},
  parts: [templatesPart, cloudAccountsPart, directoryPart],
});
