import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { DISCOVER, discoverJob, discoverOrganization } from './discover.js';

/** Organizations of accounts. */
export const organizationsPart: EnginePart = {
  prefixes: ['onboarding'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Mutation: {
      discover_organization: (_, args: { input: { account_id: string } }, context) => discoverOrganization(context, args.input),
    },
  },
  routes: [{ method: 'POST', path: '/onboarding/organizations', field: 'discover_organization', status: 202, tag: 'onboarding' }],
  jobs: { [DISCOVER]: discoverJob },
};
