import type { Permission } from '../../../schema/permissions.js';
import { holds } from '../../../kit/base/auth-context.js';
import { invalid, missingPermission, PalisadeError } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { Column, ExportFormat, Row, SubjectKind } from '../formats/format.js';

/** Filters as clients write them, once what says nothing is left out. */
export type Filter = Readonly<Record<string, unknown>>;
/** The arguments of filters: name -> its type in the graph. */
export type FilterTypes = Readonly<Record<string, { readonly type: string }>>;

/** What an export holds, as it was asked for and as it stays until it is written. */
export interface Prepared {
  readonly filter: Filter;
  /** What it takes to read all of it: of who asks, of the owner in each batch, and of who downloads. */
  readonly permissions: readonly Permission[];
  /** The engines whose findings are in it, by name; empty for what are no findings. */
  readonly engines: readonly string[];
  /** Rows, as far as that is known. */
  readonly total: number | null;
  /** What it holds, in a few words. */
  readonly title: string;
}

/** Gives the context with the owner's rights of this moment. @throws JobFailure when they are not enough any more */
export type Owner = () => Promise<EngineContext>;

/** One kind of what can be exported. */
export interface Subject {
  readonly kind: SubjectKind;
  readonly columns: readonly Column[];
  /** @throws PalisadeError FORBIDDEN for what the caller may not read; VALIDATION_ERROR for a filter that breaks a rule */
  prepare(context: EngineContext, filter: Filter, format: ExportFormat): Promise<Prepared>;
  /** All rows in batches: each batch is read with the rights that the owner has then. */
  read(owner: Owner, prepared: Pick<Prepared, 'filter' | 'engines'>, format: ExportFormat): AsyncIterable<readonly Row[]>;
  /** The facts of a framework. */
  facts?(owner: Owner, prepared: Pick<Prepared, 'filter'>): Promise<Row>;
}

/** @throws PalisadeError FORBIDDEN */
export function assertHolds(context: EngineContext, permissions: readonly Permission[]): void {
  for (const permission of permissions) if (!holds(context.auth, permission)) throw missingPermission(permission);
}

/** The text of an operation with the filters that are asked for: an engine compiles a text once, and there are few in use. */
export function filteredQuery(
  { field, selection, others }: { field: string; selection: string; others: Readonly<Record<string, string>> },
  types: FilterTypes,
  filter: Filter,
): string {
  const asked = Object.keys(filter).filter((name) => Object.hasOwn(types, name));
  const variables = [...Object.entries(others), ...asked.map((name) => [name, types[name]!.type] as const)];
  const declared = variables.map(([name, type]) => `$${name}: ${type}`).join(', ');
  const passed = variables.map(([name]) => `${name}: $${name}`).join(', ');
  return `query(${declared}) { result: ${field}(${passed}) { ${selection} } }`;
}

/** What an engine says against a filter is said of the part of the body that holds it. @throws PalisadeError */
export async function toldOf<T>(path: string, asked: Promise<T>): Promise<T> {
  return asked.catch((error: unknown) => {
    if (error instanceof PalisadeError && error.code === 'BAD_REQUEST') throw invalid([{ path, message: error.message }]);
    throw error;
  });
}
