import { defineSystemCollection } from './collection.js';
import { number } from './fields.js';

export const schemaRows = defineSystemCollection('schema', {
  /** Number of the migrations that began here: a release that knows fewer is too old. */
  epoch: number,
});
export const SCHEMA_ROW = 'schema';

/** The database was changed by a newer release than this one. */
export class SchemaTooNew extends Error {
  override readonly name = 'SchemaTooNew';

  constructor(found: number, known: number) {
    super(`The database belongs to a newer release (schema ${found}, this release knows ${known}): start that release or a later one.`);
  }
}
