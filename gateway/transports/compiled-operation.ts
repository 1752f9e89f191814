import {
  execute,
  getNamedType,
  getOperationAST,
  GraphQLError,
  isInputObjectType,
  Kind,
  NoSchemaIntrospectionCustomRule,
  OperationTypeNode,
  parse,
  specifiedRules,
  typeFromAST,
  validate,
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type GraphQLInputType,
  type GraphQLSchema,
  type NamedTypeNode,
  type OperationDefinitionNode,
} from 'graphql';
import { compileQuery, isCompiledQuery, type CompiledQuery } from 'graphql-jit';
import { badRequest } from '../../kit/base/errors.js';
import { guardOperation, type OperationGuard } from '../graph/permissions.js';
import type { RequirementTable, ViewSegments } from '../graph/requirements.js';

type Variables = Readonly<Record<string, unknown>>;

/** An engine takes no introspection: its schema is a file of the product, and the supergraph answers for all. */
const RULES = [...specifiedRules, NoSchemaIntrospectionCustomRule];

/** Runs of a text before it is compiled: one that comes once or twice costs less when it is interpreted. */
const WARM = 2;

/**
 * Fields of variables' input types, nested ones counted wherever they occur. The compiler writes code for each of them, and for an
 * input type that holds itself it would write for half a minute: such operations stay interpreted.
 */
const MAX_INPUT_SIZE = 200;

/** More than any plan of ours needs. */
const MAX_TOKENS = 50_000;

/** One operation text of one engine: parsed, validated and walked for permissions once, and compiled when it keeps coming. */
export class CompiledOperation {
  readonly #document: DocumentNode;
  readonly #definition: OperationDefinitionNode;
  readonly #entities: readonly FieldNode[];
  readonly guard: OperationGuard;
  /** Coordinate of its first root field: `Query.encryption_keys`. */
  readonly field: string;
  #runs = 0;
  #compiled: CompiledQuery['query'] | null = null;

  /** @throws PalisadeError BAD_REQUEST when `query` is not one valid operation of `schema` */
  constructor(
    readonly schema: GraphQLSchema,
    query: string,
    table: RequirementTable,
    segments: ViewSegments,
  ) {
    this.#document = parseOrRefuse(query);
    const errors = validate(schema, this.#document, RULES, { maxErrors: 1 });
    if (errors.length) throw badRequest(errors[0]!.message);
    const definition = getOperationAST(this.#document);
    if (!definition || definition.operation === OperationTypeNode.SUBSCRIPTION)
      throw badRequest('The document must hold one query or mutation');
    this.#definition = definition;
    this.field = coordinateOf(schema, definition);
    this.#entities = definition.selectionSet.selections.filter(
      (node): node is FieldNode => node.kind === Kind.FIELD && node.name.value === '_entities',
    );
    this.guard = guardOperation(schema, this.#document, definition, table, segments);
  }

  /** How many entities a call asks for. */
  representations(variables: Variables): number {
    return this.#entities.reduce((sum, node) => {
      const value = node.arguments?.find(({ name }) => name.value === 'representations')?.value;
      if (value?.kind === Kind.LIST) return sum + value.values.length;
      const given = value?.kind === Kind.VARIABLE ? variables[value.name.value] : undefined;
      return sum + (Array.isArray(given) ? given.length : 1);
    }, 0);
  }

  /** Runs the operation. A mutation is always interpreted: its fields must run one after the other, and it is seldom hot. */
  run(contextValue: object, variables: Variables): ExecutionResult | Promise<ExecutionResult> {
    this.#runs += 1;
    if (this.#runs === WARM + 1 && this.#definition.operation === OperationTypeNode.QUERY) this.#compile();
    if (this.#compiled) return this.#compiled(undefined, contextValue, variables) as ExecutionResult | Promise<ExecutionResult>;
    return execute({ schema: this.schema, document: this.#document, contextValue, variableValues: variables }) as
      ExecutionResult | Promise<ExecutionResult>;
  }

  #compile(): void {
    if (inputSize(this.schema, this.#definition) > MAX_INPUT_SIZE) return;
    const compiled = compileQuery(this.schema, this.#document, undefined, { disablingCapturingStackErrors: true });
    if (isCompiledQuery(compiled)) this.#compiled = compiled.query;
  }
}

function coordinateOf(schema: GraphQLSchema, definition: OperationDefinitionNode): string {
  const first = definition.selectionSet.selections.find((node): node is FieldNode => node.kind === Kind.FIELD);
  return `${schema.getRootType(definition.operation)?.name ?? ''}.${first?.name.value ?? ''}`;
}

function parseOrRefuse(query: string): DocumentNode {
  try {
    return parse(query, { maxTokens: MAX_TOKENS });
  } catch (error) {
    if (error instanceof GraphQLError) throw badRequest(error.message);
    throw error;
  }
}

function inputSize(schema: GraphQLSchema, definition: OperationDefinitionNode): number {
  let size = 0;
  const count = (type: GraphQLInputType | undefined) => {
    const named = getNamedType(type);
    if (!isInputObjectType(named)) return;
    for (const field of Object.values(named.getFields())) {
      if ((size += 1) > MAX_INPUT_SIZE) return;
      count(field.type);
    }
  };
  for (const { type } of definition.variableDefinitions ?? [])
    count(typeFromAST(schema, type as NamedTypeNode) as GraphQLInputType | undefined);
  return size;
}
