import { defineFindingEngine } from '../../kit/findings/engine.js';
import { evidence } from './evidence.js';

const SUBCATEGORIES = {
  unused: { code: 'unused', label: 'Unused permissions' },
  excessive: { code: 'excessive', label: 'Excessive permissions' },
} as const;

export const engine = defineFindingEngine({
  name: 'ciem',
  label: 'Entitlements',
  description: 'Permissions that are granted against those that are used.',
  prefixes: ['ciem'],
  findings: {
    viewSegment: 'ciem',
    permission: 'ciem:read',
    evidence,
    ruleType: 'config',
    module: { code: 'ciem', label: 'Entitlements' },
    subcategory: ({ rule_id }) => (/unused|stale|inactive/i.test(rule_id) ? SUBCATEGORIES.unused : SUBCATEGORIES.excessive),
    extensions: ({ evidence: { principal, granted_actions, used_actions } }) => ({
      entitlement: { principal: principal ?? null, granted_actions: granted_actions ?? [], used_actions: used_actions ?? [] },
    }),
  },
});
