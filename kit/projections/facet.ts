import type { EdgeKind, Provider } from '../../schema/model.js';
import type { EngineContext } from '../engine/context.js';
import type { InventoryAsset } from '../engine/projection.js';

/** A value of a row; null where the inventory does not tell it. */
export type FieldValue = string | number | boolean | Date | null;

/** A field of a projection. */
export interface ProjectionField {
  readonly type: 'text' | 'boolean' | 'integer' | 'moment' | 'enum';
  /** A whole sentence: it is the documentation of the field. */
  readonly description: string;
  /** Lists are filtered by it: by its values, or by bounds where it is a number or a moment. */
  readonly filter?: boolean;
  readonly sort?: boolean;
  /** Values of an enum with what each means. */
  readonly values?: Readonly<Record<string, string>> | undefined;
}

/** What edges of the asset graph say of a resource: those of the kinds that lead from it (`out`) or to it (`in`). */
export interface ProjectionLink {
  /** A whole sentence: it is the documentation of the field. */
  readonly description: string;
  readonly edges: readonly { readonly kind: EdgeKind; readonly direction: 'out' | 'in' }[];
}

/** A field that is worked out when it is asked for, for all rows of a page at once. */
export interface ProjectionComputed {
  /** A whole sentence: it is the documentation of the field. */
  readonly description: string;
  /** Its type in the graph, which the engine declares. */
  readonly type: string;
  resolve(row: ComputedRow, context: EngineContext): Promise<unknown>;
}

/** What a computed field may rest on. */
export interface ComputedRow {
  readonly resource_uid: string;
  readonly resource_type: string;
}

/** A configuration that a resource of a type may have. */
export interface ProjectionSample {
  readonly provider: Provider;
  readonly resource_type: string;
  /** Where the identifier tells something, too. */
  readonly resource_uid?: string;
  readonly configuration: Readonly<Record<string, unknown>>;
}

/** How assets of some types are read: by a facet of the catalog, or a function where paths are not enough. */
export interface ReadingSource {
  /** The resource types that it covers. */
  readonly types: ReadonlySet<string>;
  /** At least one a type; each field is set by one of them. The contract test of projections imports them. */
  readonly samples: readonly ProjectionSample[];
  /** Changes when what `evaluate` makes of an asset does. */
  readonly version: string;
  /** The fields of an asset of one of its types. */
  evaluate(asset: InventoryAsset): Readonly<Record<string, FieldValue>>;
}

/** What a projection makes of assets: its fields, and how they are read. `evaluate` gives every field. */
export interface ProjectionSource extends ReadingSource {
  readonly description: string;
  readonly fields: Readonly<Record<string, ProjectionField>>;
  /** Read when they are asked for; a row does not hold them. */
  readonly links?: Readonly<Record<string, ProjectionLink>>;
}

/** The few facts that make a projection. */
export interface ProjectionDefinition {
  readonly facet: ProjectionSource;
  /** Name of its type in the graph: `KeyOrCertificate`. */
  readonly type: string;
  /** Its root field, and the name of its collection: `encryption_keys`. */
  readonly field: string;
  /** Its REST path below /api/v1: `/encryption/keys`. */
  readonly path: string;
  readonly tag: string;
  /** Fields of its own that rows do not hold, beside those of every projection. */
  readonly computed?: Readonly<Record<string, ProjectionComputed>>;
  /** What its rows are, in the plural, for descriptions: `keys and certificates`. */
  readonly things: string;
  readonly permission: string;
}
