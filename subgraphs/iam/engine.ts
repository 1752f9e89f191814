import { defineFindingEngine } from '../../kit/findings/engine.js';
import { evidence } from './evidence.js';
import { identities } from './identities.js';

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
