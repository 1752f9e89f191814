import type { QueryPlan } from '@apollo/query-planner';
import { getVariableValues, type DocumentNode, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import { badRequest } from '../../kit/base/errors.js';
import type { OperationGuard } from './permissions.js';
import { ResponseShape } from './response-shape.js';
import type { PreparedOperation } from './types.js';

export type Way = PreparedOperation['way'];
export type Variables = Readonly<Record<string, unknown>>;

/** All that is known of an operation before it runs; `way` is decided by prepare. */
export interface PlannedFacts {
  readonly query: string;
  /** The operation as a text of its own, without the other operations of the document. */
  readonly ownText: string;
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly definition: OperationDefinitionNode;
  readonly way: Way;
  readonly fields: number;
  readonly guard: OperationGuard;
  /** Made when it is first asked for, where the operation runs without one. */
  readonly plan: () => QueryPlan;
  /** The one engine of the plan, when there is just one fetch. */
  readonly engine: string | null;
}

/** A prepared operation with what the executors need; clients of the graph see it as PreparedOperation. */
export class PlannedOperation implements PreparedOperation {
  readonly query: string;
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly kind: 'query' | 'mutation';
  readonly way: Way;
  readonly fields: number;
  readonly ownText: string;
  readonly shape: ResponseShape;

  constructor(
    readonly facts: PlannedFacts,
    readonly apiSchema: GraphQLSchema,
  ) {
    ({ query: this.query, document: this.document, operationName: this.operationName, way: this.way, fields: this.fields } = facts);
    this.kind = facts.definition.operation === 'mutation' ? 'mutation' : 'query';
    this.shape = new ResponseShape(apiSchema, facts.document, facts.definition);
    this.ownText = facts.ownText;
  }

  /** The same operation run another way: the three must answer alike. `single` needs a plan of one fetch. */
  by(way: Way): PlannedOperation {
    if (way === 'single' && !this.facts.engine) throw new Error('the plan has more than one fetch');
    return new PlannedOperation({ ...this.facts, way }, this.apiSchema);
  }

  /**
   * Checks the variables of a call against their types.
   * @returns the declared variables as the client wrote them, with defaults; engines coerce them by the same types
   * @throws PalisadeError BAD_REQUEST
   */
  variables(given: Variables | undefined): Variables {
    const definitions = this.facts.definition.variableDefinitions ?? [];
    if (definitions.length === 0) return {};
    const { coerced, errors } = getVariableValues(this.apiSchema, definitions, given ?? {}, { maxErrors: 5 });
    if (errors)
      throw badRequest(
        errors[0]!.message,
        errors.map(({ message }) => message),
      );
    const values: Record<string, unknown> = {};
    for (const { variable } of definitions) {
      const name = variable.name.value;
      if (given && Object.hasOwn(given, name) && given[name] !== undefined) values[name] = given[name];
      else if (Object.hasOwn(coerced, name)) values[name] = coerced[name];
    }
    return values;
  }
}
