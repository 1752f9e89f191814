import type { EngineContext } from '../../../kit/engine/context.js';
import type { EnginePart } from '../../../kit/engine/engine.js';
import { signInAttempts } from '../../../accounts/attempts.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { setMyMfa } from './enrollment.js';
import { mailedCodes, pendingTotp, secondSteps } from '../../../accounts/factors/records.js';
import { getMfaPolicy, setMfaPolicy } from './tenant-policy.js';

/** Second factors: the tenant's policy, and setting up one's own. */
export const mfaPart: EnginePart = {
  prefixes: ['users', 'settings'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: { mfa_policy: (_: unknown, _args: unknown, context: EngineContext) => getMfaPolicy(context) },
    Mutation: {
      set_mfa_policy: (_: unknown, { input }: { input: unknown }, context: EngineContext) => setMfaPolicy(context, input),
      set_my_mfa: (_: unknown, { input }: { input: unknown }, context: EngineContext) => setMyMfa(context, input),
    },
  },
  routes: [
    { method: 'GET', path: '/settings/mfa-policy', field: 'mfa_policy', tag: 'mfa' },
    { method: 'PUT', path: '/settings/mfa-policy', field: 'set_mfa_policy', tag: 'mfa' },
    { method: 'POST', path: '/users/me/mfa', field: 'set_my_mfa', tag: 'mfa' },
  ],
  collections: [mailedCodes, pendingTotp, secondSteps, signInAttempts],
};
