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
import { otherCallers, sliceIsOver } from '../../kit/base/time-slice.js';

type Row = Record<string, unknown>;
type Variables = Readonly<Record<string, unknown>>;
/** Gives the completed value, or a promise of it where other callers were let in between. */
type Complete = (value: unknown) => unknown;

/** A null where none may be: it takes the nearest nullable parent with it. */
const INVALID = Symbol('invalid');

/** The fields of one object type, in the order of the answer. */
interface FieldPlan {
  readonly key: string;
  readonly typename: string | null;
  readonly complete: Complete;
}

/** What `read` makes of a value that is there, or will be. */
const then = <T>(value: unknown, read: (value: unknown) => T): T | Promise<T> =>
  value instanceof Promise ? value.then(read) : read(value);

/** Completes the elements of a list from `start` on. Lets other callers in between. */
function completeList(list: readonly unknown[], element: Complete, result: unknown[], start: number): unknown {
  const put = (index: number, completed: unknown): boolean => ((result[index] = completed), completed !== INVALID);
  for (let index = start; index < list.length; index += 1) {
    if (sliceIsOver()) return otherCallers().then(() => completeList(list, element, result, index));
    const completed = element(list[index]);
    if (completed instanceof Promise)
      return completed.then((late) => (put(index, late) ? completeList(list, element, result, index + 1) : INVALID));
    if (!put(index, completed)) return INVALID;
  }
  return result;
}

/** Completes the fields of an object from `start` on, in the order of the answer. */
function completeFields(row: Row, fields: readonly FieldPlan[], result: Row, start: number): unknown {
  for (let index = start; index < fields.length; index += 1) {
    const { key, typename, complete } = fields[index]!;
    const completed = typename ?? complete(row[key]);
    result[key] = completed;
    if (completed instanceof Promise)
      return completed.then((late) => ((result[key] = late), late === INVALID ? INVALID : completeFields(row, fields, result, index + 1)));
    if (completed === INVALID) return INVALID;
  }
  return result;
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

  /** The answer to the operation, out of what the engines gave; null when a required field has no value. Long lists let other callers in. */
  complete(data: Row, variables: Variables): Row | null | Promise<Row | null> {
    const complete = this.#conditional ? this.#compile(variables) : (this.#compiled ??= this.#compile({}));
    return then(complete(data), (value) => (value === INVALID ? null : (value as Row)));
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
      return (value) => then(inner(value), (completed) => completed ?? INVALID);
    }
    const inner = isListType(type)
      ? this.#list(this.#value(type.ofType as GraphQLOutputType, sets, variables))
      : this.#named(type, sets, variables);
    return (value) => {
      if (value === null || value === undefined) return null;
      return then(inner(value), (completed) => (completed === INVALID ? null : completed));
    };
  }

  #list(element: Complete): Complete {
    return (value) => {
      if (!Array.isArray(value)) return INVALID;
      return completeList(value, element, new Array<unknown>(value.length), 0);
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
      return completeFields(value as Row, (plan ??= this.#plan(type, sets, variables)), {}, 0);
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
