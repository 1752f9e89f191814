import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { jobs } from '../../../kit/work/jobs.js';
import { postureSettings, setPostureSettings, type PostureSettingsInput } from './service.js';

const tag = 'settings';

/** What a tenant has set for the whole of its posture. */
export const posturePart: EnginePart = {
  prefixes: ['settings'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: { posture_settings: (_, _args, context) => postureSettings(context) },
    Mutation: {
      set_posture_settings: (_, { input }: { input: PostureSettingsInput }, context) => setPostureSettings(context, input),
    },
  },
  routes: [
    { method: 'GET', path: '/settings/posture', field: 'posture_settings', tag },
    { method: 'PUT', path: '/settings/posture', field: 'set_posture_settings', tag },
  ],
  collections: [jobs],
};
