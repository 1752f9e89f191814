import type { ComponentChildren } from 'preact';
import type { Permission } from '../../../schema/permissions.js';
import type { Column } from './columns.js';
import type { Field, Values } from './fields.js';

/** A change that a button makes. */
export interface Action<Row> {
  readonly label: string;
  readonly when?: (row: Row) => boolean;
  readonly method: 'POST' | 'PATCH' | 'PUT';
  /** Below the path of the row: `/validate`. */
  readonly under?: string;
  readonly body?: (row: Row) => unknown;
}

/** A form that makes or changes one. */
export interface ManagedForm {
  readonly fields: readonly Field[];
  /** What it is sent to, where that is not the list or the row. */
  readonly put?: (values: Values) => string;
}

/** A list of the tenant that people add to, change and remove from, as data: its page is made of it. */
export interface Managed<Row> {
  readonly one: string;
  readonly many: string;
  readonly path: string;
  readonly writes: Permission;
  readonly idOf: (row: Row) => string;
  readonly titleOf: (row: Row) => string;
  /** After the title. */
  readonly columns: readonly Column<Row>[];
  readonly add: ManagedForm | null;
  /** `put` of the id where the API replaces the whole; else what is changed is sent with PATCH. */
  readonly edit:
    (ManagedForm & { readonly method: 'PATCH' | 'PUT'; /** Below the path of the row: `/role`. */ readonly under?: string }) | null;
  readonly actions: readonly Action<Row>[];
  /** The verb and what follows from it; null where none is removed. */
  readonly removal: { readonly verb: string; readonly follows: string; readonly when?: (row: Row) => boolean } | null;
  /** What is told of one beside the list. */
  readonly details: (row: Row) => ComponentChildren;
  /** What an answer holds that is shown this once. */
  readonly once?: (answer: unknown) => string | null;
  /** What stands above the list beside the button that adds one. */
  readonly head?: (reload: () => void) => ComponentChildren;
  readonly empty: string;
}

/** One of a list in the API. */
export const pathOf = <Row>({ path, idOf }: Managed<Row>, row: Row): string => `${path}/${encodeURIComponent(idOf(row))}`;
