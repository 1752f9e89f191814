import { defineFindingEngine } from '../../kit/findings/engine.js';
import { deriveEntitlements } from './entitlements/derive.js';
import { entitlementFindings } from './entitlements/findings.js';
import { entitlements } from './entitlements/part.js';
import { refreshUse } from './entitlements/refresh.js';
import { evidence } from './evidence.js';
import { keepLastAccess } from './last-access/ingest.js';
import { ciemLastAccess, lastAccessRetention } from './last-access/records.js';

const SUBCATEGORIES = {
  unused: { code: 'unused', label: 'Unused permissions' },
  excessive: { code: 'excessive', label: 'Excessive permissions' },
} as const;

export const engine = defineFindingEngine({
  name: 'ciem',
  label: 'Entitlements',
  description: 'Permissions that are granted against those that are used.',
  prefixes: ['ciem'],
  parts: [entitlements],
  collections: [ciemLastAccess],
  retention: [lastAccessRetention],
  ingest: {
    lastAccess: keepLastAccess,
    async derive(context, run) {
      await deriveEntitlements(context, run);
      await entitlementFindings.derive(context, run);
    },
    async deriveFromEvents(context, run) {
      await refreshUse(context, run);
      await entitlementFindings.derive(context, run);
    },
    async daily(context, run) {
      await refreshUse(context, run);
      await entitlementFindings.daily(context, run);
    },
  },
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
