import { defineFindingEngine } from '../../kit/findings/engine.js';
import { readSchema } from '../../kit/engine/read-schema.js';
import { identityAccess, type AccessArguments } from './access/access.js';
import { evidence } from './evidence.js';
import { identityFindings } from './identity-findings.js';
import { identities } from './identities.js';
import { unusedIdentities } from './unused-identities.js';

const SUBCATEGORIES = {
  policy: { code: 'policy', label: 'Policies' },
  credential: { code: 'credential', label: 'Credentials and keys' },
  identity: { code: 'identity', label: 'Identities' },
} as const;

export const engine = defineFindingEngine({
  name: 'iam',
  label: 'Identity and access',
  description: 'Identities, their policies and what they may do.',
  prefixes: ['iam-security'],
  parts: [identities],
  typeDefs: readSchema(import.meta.url),
  resolvers: { Query: { identity_access: (_, args: AccessArguments, context) => identityAccess(context, args) } },
  routes: [{ method: 'GET', path: '/iam-security/identities/{identity_uid}/access', field: 'identity_access', tag: 'iam-security' }],
  ingest: {
    async derive(context, run) {
      await identityFindings.derive(context, run);
      await unusedIdentities.derive(context, run);
    },
    deriveFromEvents: unusedIdentities.derive,
    async daily(context, run) {
      await identityFindings.daily(context, run);
      await unusedIdentities.daily(context, run);
    },
  },
  findings: {
    viewSegment: 'iam',
    permission: 'iam:read',
    evidence,
    ruleType: 'config',
    module: { code: 'iam', label: 'Identity and access' },
    subcategory: ({ rule_id, resource_type }) =>
      /policy|binding|role_assignment|permission/i.test(resource_type)
        ? SUBCATEGORIES.policy
        : /key|password|mfa|credential/i.test(rule_id)
          ? SUBCATEGORIES.credential
          : SUBCATEGORIES.identity,
    extensions: ({ evidence: { principal, policy, actions } }) => ({
      identity: { principal: principal ?? null, policy: policy ?? null, actions: actions ?? [] },
    }),
  },
});
