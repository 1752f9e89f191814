import {
  getDirectiveValues,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  isAbstractType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  visit,
  BREAK,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

type Row = Record<string, unknown>;
type Variables = Readonly<Record<string, unknown>>;
type Complete = (value: unknown) => unknown;

/** A null where none may be: it takes the nearest nullable parent with it. */
const INVALID = Symbol('invalid');

/** The fields of one object type, in the order of the answer. */
interface FieldPlan {
  readonly key: string;
  readonly typename: string | null;
  readonly complete: Complete;
}

/** How an operation's merged data become its answer: fields and their order, aliases, `__typename`, nulls that spread. */
export class ResponseShape {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #conditional: boolean;
  #compiled: Complete | null = null;

  constructor(
    readonly schema: GraphQLSchema,
    document: DocumentNode,
    readonly operation: OperationDefinitionNode,
  ) {
    this.#fragments = new Map(
      document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [])),
    );
    let conditional = false;
    visit(document, { Directive: () => ((conditional = true), BREAK) });
    this.#conditional = conditional;
  }

  /** The answer to the operation, out of what the engines gave; null when a required field has no value. */
  complete(data: Row, variables: Variables): Row | null {
    const complete = this.#conditional ? this.#compile(variables) : (this.#compiled ??= this.#compile({}));
    const value = complete(data);
    return value === INVALID ? null : (value as Row);
  }

  /** The keys of the answer's top level. */
  rootKeys(variables: Variables): string[] {
    return [...this.#collect([this.operation.selectionSet], this.#rootType(), variables).keys()];
  }

  #rootType(): GraphQLObjectType {
    return this.schema.getRootType(this.operation.operation)!;
  }

  #compile(variables: Variables): Complete {
    return this.#object(this.#rootType(), [this.operation.selectionSet], variables);
  }

  #value(type: GraphQLOutputType, sets: readonly SelectionSetNode[], variables: Variables): Complete {
    if (isNonNullType(type)) {
      const inner = this.#value(type.ofType as GraphQLOutputType, sets, variables);
      return (value) => inner(value) ?? INVALID;
    }
    const inner = isListType(type)
      ? this.#list(this.#value(type.ofType as GraphQLOutputType, sets, variables))
      : this.#named(type, sets, variables);
    return (value) => {
      if (value === null || value === undefined) return null;
      const completed = inner(value);
      return completed === INVALID ? null : completed;
    };
  }

  #list(element: Complete): Complete {
    return (value) => {
      if (!Array.isArray(value)) return INVALID;
      const result: unknown[] = new Array(value.length);
      for (let index = 0; index < value.length; index += 1) {
        const completed = element(value[index]);
        if (completed === INVALID) return INVALID;
        result[index] = completed;
      }
      return result;
    };
  }

  #named(type: GraphQLOutputType, sets: readonly SelectionSetNode[], variables: Variables): Complete {
    if (isObjectType(type)) return this.#object(type, sets, variables);
    if (!isAbstractType(type)) return (value) => value;
    const byName = new Map<string, Complete>();
    for (const possible of this.schema.getPossibleTypes(type)) byName.set(possible.name, this.#object(possible, sets, variables));
    return (value) => byName.get((value as Row).__typename as string)?.(value) ?? INVALID;
  }

  #object(type: GraphQLObjectType, sets: readonly SelectionSetNode[], variables: Variables): Complete {
    let plan: FieldPlan[] | null = null;
    return (value) => {
      plan ??= this.#plan(type, sets, variables);
      const row = value as Row;
      const result: Row = {};
      for (const { key, typename, complete } of plan) {
        const completed = typename ?? complete(row[key]);
        if (completed === INVALID) return INVALID;
        result[key] = completed;
      }
      return result;
    };
  }

  #plan(type: GraphQLObjectType, sets: readonly SelectionSetNode[], variables: Variables): FieldPlan[] {
    return [...this.#collect(sets, type, variables)].map(([key, nodes]) => {
      const name = nodes[0]!.name.value;
      const inner = nodes.flatMap(({ selectionSet }) => (selectionSet ? [selectionSet] : []));
      const complete = name === '__typename' ? () => type.name : this.#value(type.getFields()[name]!.type, inner, variables);
      return { key, typename: name === '__typename' ? type.name : null, complete };
    });
  }

  /** CollectFields of the GraphQL specification, section 6.3.2. */
  #collect(sets: readonly SelectionSetNode[], type: GraphQLObjectType, variables: Variables): Map<string, FieldNode[]> {
    const fields = new Map<string, FieldNode[]>();
    const spread = new Set<string>();
    const collect = (set: SelectionSetNode) => {
      for (const node of set.selections) {
        if (this.#conditional && !isIncluded(node, variables)) continue;
        if (node.kind === Kind.FIELD) {
          const key = node.alias?.value ?? node.name.value;
          const known = fields.get(key);
          if (known) known.push(node);
          else fields.set(key, [node]);
        } else if (node.kind === Kind.INLINE_FRAGMENT) {
          if (this.#applies(node.typeCondition?.name.value, type)) collect(node.selectionSet);
        } else if (!spread.has(node.name.value)) {
          spread.add(node.name.value);
          const fragment = this.#fragments.get(node.name.value)!;
          if (this.#applies(fragment.typeCondition.name.value, type)) collect(fragment.selectionSet);
        }
      }
    };
    sets.forEach(collect);
    return fields;
  }

  #applies(condition: string | undefined, type: GraphQLObjectType): boolean {
    if (condition === undefined || condition === type.name) return true;
    const conditional = this.schema.getType(condition);
    return isAbstractType(conditional) && this.schema.isSubType(conditional, type);
  }
}

const isIncluded = (node: SelectionNode, variables: Variables): boolean =>
  getDirectiveValues(GraphQLSkipDirective, node, variables as Row)?.if !== true &&
  getDirectiveValues(GraphQLIncludeDirective, node, variables as Row)?.if !== false;
