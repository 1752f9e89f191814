import {
  GraphQLError,
  isAbstractType,
  Kind,
  parse,
  separateOperations,
  TypeInfo,
  validate,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { Requirement } from '../../schema/requirement.js';
import { costOf } from '../../gateway/graphql-cost.js';
import type { ExplorerGraph } from '../../schema/explorer.js';
import { wordsOf, type Me } from './graph.js';

/** Something that an operation asks of its caller, and which of its fields ask for it. */
export interface Need {
  readonly words: string;
  /** Null where only the call itself tells. */
  readonly isHeld: boolean | null;
  readonly fields: readonly string[];
}

/** What is known of an operation before it runs. */
export interface OperationFacts {
  /** Fields that it may answer with at most. */
  readonly cost: number;
  readonly needs: readonly Need[];
  /** Engines that alone answer one of its fields. */
  readonly engines: readonly string[];
  /** Its root fields, each with its REST endpoint; null where it has none. */
  readonly roots: readonly { readonly field: string; readonly route: string | null }[];
}

export type Described = { readonly facts: OperationFacts } | { readonly problem: string };

type Variables = Readonly<Record<string, unknown>>;

/** The variables of an editor's text, which may be half written. @throws an Error that says what is wrong */
export function readVariables(text: string): Variables {
  if (text.trim() === '') return {};
  const value: unknown = JSON.parse(text);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Error('the variables are no JSON object');
  return { ...value };
}

/** The operation of that name, or the first one, with the fragments that it uses; null where there is none. */
function pick(document: DocumentNode, name: string | null): { document: DocumentNode; operation: OperationDefinitionNode } | null {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const operation = operations.find((node) => node.name?.value === name) ?? operations[0];
  return operation ? { document: separateOperations(document)[operation.name?.value ?? '']!, operation } : null;
}

/** Collects what fields ask of their caller. */
class Needs {
  readonly #known = new Map<string, { isHeld: boolean | null; fields: Set<string> }>();

  constructor(
    readonly graph: ExplorerGraph,
    readonly me: Me,
    readonly variables: Variables,
  ) {}

  add(requirement: Requirement, coordinate: string, node: FieldNode): void {
    if (requirement.kind === 'engine') {
      for (const permission of this.#readersOf(requirement.argument, node))
        if (permission === null) this.#note(wordsOf(requirement), null, coordinate);
        else this.#note(permission, this.me.permissions.includes(permission), coordinate);
    } else if (requirement.kind === 'permission') {
      this.#note(requirement.permission, this.me.permissions.includes(requirement.permission), coordinate);
    } else {
      const isHeld = requirement.kind === 'role' ? this.me.role === requirement.role : requirement.kind === 'person' ? true : null;
      this.#note(wordsOf(requirement), isHeld, coordinate);
    }
  }

  /** The permissions that read the engines which an argument names; null where that is not to be seen. */
  #readersOf(argument: string, node: FieldNode): (string | null)[] {
    const given = node.arguments?.find(({ name }) => name.value === argument)?.value;
    const value = given && valueFromASTUntyped(given, this.variables);
    return [value].flat().map((segment) => (typeof segment === 'string' ? (this.graph.readers[segment] ?? null) : null));
  }

  #note(words: string, isHeld: boolean | null, coordinate: string): void {
    const known = this.#known.get(words) ?? { isHeld, fields: new Set<string>() };
    known.fields.add(coordinate);
    this.#known.set(words, known);
  }

  list(): Need[] {
    return [...this.#known].map(([words, { isHeld, fields }]) => ({ words, isHeld, fields: [...fields] }));
  }
}

/** Tells what an operation costs and asks for, from the graph alone. */
export function describeOperation(
  { schema, graph, me }: { schema: GraphQLSchema; graph: ExplorerGraph; me: Me },
  { query, variables, operationName }: { query: string; variables: string; operationName: string | null },
): Described {
  try {
    const picked = pick(parse(query), operationName);
    if (!picked) return { problem: 'There is no operation to tell of.' };
    const { document, operation } = picked;
    const [error] = validate(schema, document, undefined, { maxErrors: 1 });
    if (error) return { problem: error.message };
    const values = readVariables(variables);
    return { facts: gather(schema, graph, new Needs(graph, me, values), document, operation, values) };
  } catch (error) {
    if (error instanceof GraphQLError || error instanceof SyntaxError || error instanceof Error) return { problem: error.message };
    throw error;
  }
}

function gather(
  schema: GraphQLSchema,
  graph: ExplorerGraph,
  needs: Needs,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): OperationFacts {
  const engines = new Set<string>();
  const roots = new Map<string, string | null>();
  const root = schema.getRootType(operation.operation);
  const info = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(info, {
      Field(node) {
        const parent = info.getParentType();
        if (!parent || node.name.value.startsWith('__')) return;
        for (const type of isAbstractType(parent) ? [parent, ...schema.getPossibleTypes(parent)] : [parent]) {
          const coordinate = `${type.name}.${node.name.value}`;
          const owners = graph.fields[coordinate];
          if (owners?.length === 1) engines.add(owners[0]!);
          for (const requirement of graph.requirements[coordinate] ?? []) needs.add(requirement, coordinate, node);
        }
        if (parent === root) roots.set(node.name.value, graph.routes[`${root.name}.${node.name.value}`] ?? null);
      },
    }),
  );
  return {
    cost: costOf(schema, document, operation, variables),
    needs: needs.list(),
    engines: [...engines].sort(),
    roots: [...roots].map(([field, route]) => ({ field, route })),
  };
}
