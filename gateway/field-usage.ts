import { TypeInfo, visit, visitWithTypeInfo, type DocumentNode, type GraphQLSchema } from 'graphql';
import { BoundedCache } from '../kit/base/bounded-cache.js';
import type { FieldUsageReport } from '../schema/explorer.js';
import type { Graph } from './graph/types.js';

/** Tenants whose numbers are kept at once; those that asked longest ago go first. */
const KEPT = 1_000;

/** How often each field of the graph was asked for, by tenant, in this process and since it started: over REST, whose endpoints are operations, and over GraphQL. */
export class FieldUsage {
  readonly #tenants = new BoundedCache<Map<string, number>>(KEPT);
  readonly #coordinates = new WeakMap<DocumentNode, readonly string[]>();

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly since: Date,
  ) {}

  /** Counts a call of an operation: each field once, however often the operation names it. */
  count(tenantId: string, document: DocumentNode): void {
    const counts = this.#tenants.getOrMake(tenantId, () => new Map());
    for (const coordinate of this.#coordinatesOf(document)) counts.set(coordinate, (counts.get(coordinate) ?? 0) + 1);
  }

  /** What the tenant has asked for. */
  of(tenantId: string): FieldUsageReport {
    return { since: this.since.toISOString(), calls: Object.fromEntries(this.#tenants.get(tenantId) ?? []) };
  }

  /** The coordinates of the fields (`Query.asset`) that a valid document names. */
  #coordinatesOf(document: DocumentNode): readonly string[] {
    const known = this.#coordinates.get(document);
    if (known) return known;
    const types = new TypeInfo(this.schema);
    const found = new Set<string>();
    const Field = {
      enter({ name }: { readonly name: { readonly value: string } }) {
        const parent = types.getParentType();
        if (parent && !name.value.startsWith('__') && !parent.name.startsWith('__')) found.add(`${parent.name}.${name.value}`);
      },
    };
    visit(document, visitWithTypeInfo(types, { Field }));
    this.#coordinates.set(document, [...found]);
    return [...found];
  }
}

/** The graph, with what runs on it counted. */
export const counting = (graph: Graph, usage: FieldUsage): Graph => ({
  ...graph,
  execute(operation, call) {
    usage.count(call.auth.tenant_id, operation.document);
    return graph.execute(operation, call);
  },
});
