import { defineCollection, type RowOf } from '../../store/collection.js';
import { date, list, nullable, number, object, oneOf, text } from '../../store/fields.js';
import { DUE_FIELDS, DUE_INDEX } from '../../work/due.js';
import type { SuppressionScope } from './scope.js';

/**
 * Rules by which findings are suppressed. The row is due while findings are to be moved by it, and when it expires: what a call that made or
 * changed it has not finished, a worker does.
 */
export const suppressions = defineCollection(
  'suppressions',
  {
    scope: object<SuppressionScope>(),
    /** The engines that its author may read, by name: it takes findings of no other. Null when that is every engine. */
    engines: nullable(list(text)),
    reason: text,
    expires_at: nullable(date),
    /** A lifted one is no more to everybody, and goes when the findings that it held have moved. */
    state: oneOf('active', 'expired', 'lifted'),
    /** Grows with every change of scope, expiry or state. */
    revision: number,
    created_by: text,
    created_at: date,
    updated_by: text,
    updated_at: date,
    ...DUE_FIELDS,
  },
  [{ key: { tenant_id: 1, state: 1 } }, { key: { tenant_id: 1, created_at: -1, _id: 1 } }, DUE_INDEX],
);
export type SuppressionRow = RowOf<typeof suppressions>;

/** Suppressions that a tenant may have, expired ones included: every finding of a run is held against each. */
export const MAX_SUPPRESSIONS = 500;
