import type { Answer, Privilege } from '../../../catalog/access/types.js';
import type { Need } from '../../../catalog/entitlements/granted.js';
import { RESOURCE_FIELDS } from '../../../kit/engine/resource-fields.js';
import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, flag, list, nullable, number, object, text, textOf } from '../../../kit/store/fields.js';

/** What identities can be in this list: those that act by themselves. */
export const ACTING = ['user', 'role', 'service_account'] as const;
export type ActingKind = (typeof ACTING)[number];

/** What is told of the use of an identity's rights; it changes with events and with time. */
const USE = {
  used_rights: number,
  /** Rights whose use would have been seen in the last 90 days. */
  judged_rights: number,
  /** Of these the ones that were not used. */
  unused_rights: number,
  share_used: nullable(number),
  used_services: number,
  /** Services all of whose rights are known to be unused; the first of them by name. */
  unused_services: list(text),
  unused_services_count: number,
  last_used_at: nullable(date),
  /** Whether nothing was used in the last 90 days; null where that is not known. */
  unused: nullable(flag),
  is_proven: flag,
  missing: list(text),
} as const;

/** What an identity is given, and what of that it uses; `_id` is `<tenant_id>|<digest of resource_uid>`. */
export const ciemEntitlements = defineCollection(
  'ciem_entitlements',
  {
    ...RESOURCE_FIELDS,
    kind: textOf<ActingKind>(),
    human: nullable(flag),
    admin: textOf<Answer>(),
    privilege: nullable(textOf<Privilege>()),
    /** When it was made; null where the inventory does not tell. */
    created_at: nullable(date),
    granted_rights: number,
    granted_services: number,
    /** Names by which logs call it. */
    actors: list(text),
    /** How many rights of which service show in which log. */
    needs: list(object<Need>()),
    /** Patterns of its actions. */
    allow: list(text),
    ...USE,
    /** Of what it is given; of all of it. */
    granted_digest: text,
    digest: text,
  },
  [
    { key: { tenant_id: 1, unused_rights: -1, resource_uid: 1 } },
    { key: { tenant_id: 1, resource_uid: 1 } },
    ...(['share_used', 'granted_rights', 'last_used_at'] as const).flatMap((name) => [
      { key: { tenant_id: 1, [name]: 1, resource_uid: 1 } as const },
    ]),
    ...(['provider', 'account_id', 'resource_type', 'kind', 'unused'] as const).map((name) => ({
      key: { tenant_id: 1, [name]: 1, unused_rights: -1, resource_uid: 1 } as const,
    })),
  ],
);
export type EntitlementRow = RowOf<typeof ciemEntitlements>;
export type EntitlementUse = Pick<EntitlementRow, keyof typeof USE>;
