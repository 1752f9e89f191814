import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { riskSettings } from './records.js';
import { ownSettings, readSettings, setSettings } from './settings.js';

/** The figures that risk is reckoned with: GET and PUT /settings/risk. */
export const settingsPart: EnginePart = {
  prefixes: ['settings'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: {
      risk_settings: (_, _args, context) => readSettings(context),
      risk_settings_model: (_, _args, context) => ownSettings(context),
    },
    Mutation: { set_risk_settings: (_, args: { input: object }, context) => setSettings(context, args.input) },
  },
  routes: [
    { method: 'GET', path: '/settings/risk', field: 'risk_settings', tag: 'settings' },
    { method: 'PUT', path: '/settings/risk', field: 'set_risk_settings', tag: 'settings' },
  ],
  collections: [riskSettings],
};
