import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { ssoIdentities, ssoSettings } from '../../../accounts/providers/records.js';
import { resolvers } from './resolvers.js';

export const ssoPart: EnginePart = {
  prefixes: ['settings'],
  typeDefs: readSchema(import.meta.url),
  resolvers,
  routes: [
    { method: 'GET', path: '/settings/sso', field: 'sso_settings', tag: 'sso-settings' },
    { method: 'PUT', path: '/settings/sso', field: 'set_sso_settings', tag: 'sso-settings' },
  ],
  collections: [ssoSettings, ssoIdentities],
};
