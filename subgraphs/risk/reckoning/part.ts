import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { blastRadius, listScenarios, riskSummary, whatIf, type ScenarioFilter } from './answers.js';
import { RECKON } from '../reckon-soon.js';
import { reckonJob } from './reckon.js';
import { riskResults, riskScenarios } from './records.js';

/** Risk in money: GET /risk/summary, /risk/scenarios, /risk/blast-radius, POST /risk/what-if. */
export const reckoningPart: EnginePart = {
  prefixes: ['risk'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: {
      risk_summary: (_, _args, context) => riskSummary(context),
      risk_scenarios: (_, args: ScenarioFilter, context) => listScenarios(context, args),
      risk_blast_radius: (_, _args, context) => blastRadius(context),
    },
    Mutation: { risk_what_if: (_, args: { input: object }, context) => whatIf(context, args.input) },
  },
  routes: [
    { method: 'GET', path: '/risk/summary', field: 'risk_summary', tag: 'risk' },
    { method: 'GET', path: '/risk/scenarios', field: 'risk_scenarios', tag: 'risk' },
    { method: 'GET', path: '/risk/blast-radius', field: 'risk_blast_radius', tag: 'risk' },
    { method: 'POST', path: '/risk/what-if', field: 'risk_what_if', tag: 'risk' },
  ],
  collections: [riskResults, riskScenarios],
  jobs: { [RECKON]: reckonJob },
};
