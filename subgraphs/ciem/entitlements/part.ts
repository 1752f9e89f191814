import type { EnginePart } from '../../../kit/engine/engine.js';
import { derivations } from '../../../kit/engine/kept-rows.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { entitlementDetail } from './detail.js';
import { isAdministrator, listEntitlements, type EntitlementFilter } from './list.js';
import { ciemEntitlements, type EntitlementRow } from './records.js';

/** What identities are given against what they use: GET /ciem/entitlements. */
export const entitlements: EnginePart = {
  prefixes: ['ciem'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: {
      ciem_entitlements: (_, args: EntitlementFilter, context) => listEntitlements(context, args),
      ciem_entitlement: (_, args: { identity_uid: string }, context) => entitlementDetail(context, args.identity_uid),
    },
    Entitlement: {
      identity_uid: ({ resource_uid }: EntitlementRow) => resource_uid,
      administrator: (row: EntitlementRow) => isAdministrator(row),
      evidence: ({ is_proven }: EntitlementRow) => (is_proven ? 'sufficient' : 'insufficient_evidence'),
    },
  },
  routes: [
    { method: 'GET', path: '/ciem/entitlements', field: 'ciem_entitlements', tag: 'ciem' },
    { method: 'GET', path: '/ciem/entitlements/{identity_uid}', field: 'ciem_entitlement', tag: 'ciem' },
  ],
  collections: [ciemEntitlements, derivations],
};
