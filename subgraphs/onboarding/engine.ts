import { defineEngine } from '../../kit/engine/engine.js';
import { cloudAccountsPart } from './accounts/part.js';
import { accountScans } from './accounts/scans.js';
import { directoryPart } from './directory/part.js';
import { templatesPart } from './templates/part.js';

export const engine = defineEngine({
  name: 'onboarding',
  label: 'Onboarding',
  description: 'Cloud accounts: how they are prepared, connected and grouped, and how each of them stands.',
  prefixes: [],
  typeDefs: '',
  resolvers: {},
  ingest: { accountScans },
  parts: [templatesPart, cloudAccountsPart, directoryPart],
});
