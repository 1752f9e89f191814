import type { Permission } from './permissions.js';
import type { Requirement } from './requirement.js';

// What the gateway tells the explorer, and whoever else asks for a plan.

/** A type that several engines know by its key, each with fields of its own. */
export interface Entity {
  readonly type: string;
  /** The fields that name one of it, as the engines write them. */
  readonly keys: readonly string[];
  /** Engines that answer for it when they are given a key. */
  readonly resolvedBy: readonly string[];
  /** Engines that name it by its key and hold nothing else of it. */
  readonly namedBy: readonly string[];
}

/** What a federation knows beside its graph: who answers what. */
export interface Federation {
  readonly engines: readonly string[];
  readonly entities: readonly Entity[];
  /** Name of an object type or interface -> the engines that have it. */
  readonly types: Readonly<Record<string, readonly string[]>>;
  /** Field coordinate (`Query.asset`) -> the engines that answer it, where they are not all that have its type. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
}

/** All that the explorer knows of the graph before it asks anything of it. */
export interface ExplorerGraph extends Federation {
  /** The graph as clients see it. */
  readonly sdl: string;
  /** Field coordinate -> what its caller must hold; a field without any is not in it. */
  readonly requirements: Readonly<Record<string, readonly Requirement[]>>;
  /** Coordinate of a root field -> the REST endpoint that runs it. */
  readonly routes: Readonly<Record<string, string>>;
  /** What an argument `engine` may be -> the permission that reads that engine's findings. */
  readonly readers: Readonly<Record<string, Permission>>;
  /** Fields that one operation may answer with at most. */
  readonly allowance: number;
}

/** One call of an engine, as it went. */
export interface FetchCall {
  /** Milliseconds from the beginning of the operation. */
  readonly at: number;
  readonly ms: number;
  /** Entities that were asked for by their keys; null for a fetch from the root. */
  readonly entities: number | null;
  readonly errors: number;
}

/** A step of a query plan. */
export type PlanStep =
  | {
      readonly kind: 'fetch';
      readonly engine: string;
      readonly operation: string;
      /** Where the answer goes; `@` stands for each row of a list. */
      readonly path: readonly (string | number)[];
      readonly calls: readonly FetchCall[];
    }
  | { readonly kind: 'sequence' | 'parallel' | 'either'; readonly steps: readonly PlanStep[] };

/** How an operation ran: which engines were asked what, in which order, and for how long. It holds texts of operations and no values. */
export interface PlanReport {
  readonly ms: number;
  /** Null where the gateway answered by itself, as it does for introspection. */
  readonly root: PlanStep | null;
}

/** How often the fields of the graph were asked for by one tenant, in the process that tells it. */
export interface FieldUsageReport {
  /** When the process started to count. */
  readonly since: string;
  /** Field coordinate -> calls that asked for it; a field that none asked for is not in it. */
  readonly calls: Readonly<Record<string, number>>;
}
