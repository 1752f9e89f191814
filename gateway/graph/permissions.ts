import {
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  Kind,
  valueFromASTUntyped,
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { AuthContext } from '../../kit/base/auth-context.js';
import type { Requirement } from '../../schema/requirement.js';
import { assertMeets, assertReadsEngine, type RequirementTable, type ViewSegments } from './requirements.js';

type Variables = Readonly<Record<string, unknown>>;
type FixedRequirement = Exclude<Requirement, { kind: 'engine' }>;

/** What one operation asks of its caller: walked once, evaluated for every call. */
export interface OperationGuard {
  /** Throws FORBIDDEN for a missing permission or role, NOT_FOUND for an unknown engine argument, UNAUTHENTICATED for a proof that is too old; 403 comes before 404. */
  assert(auth: AuthContext, variables: Variables): void;
}

const rootTypeOf = (schema: GraphQLSchema, operation: OperationDefinitionNode) => schema.getRootType(operation.operation);

/** The object types whose fields a field node of `parent` may mean. */
const concreteTypes = (schema: GraphQLSchema, parent: GraphQLCompositeType) =>
  isAbstractType(parent) ? [parent, ...schema.getPossibleTypes(parent)] : [parent];

/** Reads an argument at call time: from the node, from a variable with its default, or from the schema's default. */
function argumentReader(node: FieldNode, field: GraphQLField<unknown, unknown>, name: string, operation: OperationDefinitionNode) {
  const fallback: unknown = field.args.find((argument) => argument.name === name)?.defaultValue;
  const value = node.arguments?.find((argument) => argument.name.value === name)?.value;
  if (value === undefined) return () => fallback;
  const defaults: Record<string, unknown> = {};
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    if (defaultValue) defaults[variable.name.value] = valueFromASTUntyped(defaultValue);
  }
  if (value.kind === Kind.VARIABLE) return (variables: Variables) => variables[value.name.value] ?? defaults[value.name.value] ?? fallback;
  return (variables: Variables) => valueFromASTUntyped(value, { ...defaults, ...variables });
}

/**
 * Walks `operation` through its fragments and collects what its fields require.
 * @param schema the schema that the operation is valid in
 * @param table the `@permission` of that schema
 */
export function guardOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  table: RequirementTable,
  segments: ViewSegments,
): OperationGuard {
  const fixed = new Map<string, FixedRequirement>();
  const engines: ((variables: Variables) => unknown)[] = [];
  const fragments = new Map(
    document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [])),
  );
  const walked = new Set<string>();

  const take = (requirement: Requirement, node: FieldNode, field: GraphQLField<unknown, unknown>) => {
    if (requirement.kind === 'engine') engines.push(argumentReader(node, field, requirement.argument, operation));
    else fixed.set(JSON.stringify(requirement), requirement);
  };
  const walk = (selections: SelectionSetNode, parent: GraphQLCompositeType): void => {
    for (const node of selections.selections) {
      if (node.kind === Kind.FIELD) walkField(node, parent);
      else if (node.kind === Kind.INLINE_FRAGMENT) walkFragment(node.selectionSet, node.typeCondition?.name.value ?? parent.name);
      else if (!walked.has(node.name.value)) {
        walked.add(node.name.value);
        const fragment = fragments.get(node.name.value);
        if (fragment) walkFragment(fragment.selectionSet, fragment.typeCondition.name.value);
      }
    }
  };
  const walkFragment = (selections: SelectionSetNode, typeName: string) => {
    const type = schema.getType(typeName);
    if (isCompositeType(type)) walk(selections, type);
  };
  const walkField = (node: FieldNode, parent: GraphQLCompositeType) => {
    if (node.name.value.startsWith('__')) return;
    for (const type of concreteTypes(schema, parent)) {
      const field = 'getFields' in type ? type.getFields()[node.name.value] : undefined;
      if (!field) continue;
      for (const requirement of table.get(`${type.name}.${field.name}`) ?? []) take(requirement, node, field);
      const inner = getNamedType(field.type);
      if (node.selectionSet && type === parent && isCompositeType(inner)) walk(node.selectionSet, inner);
    }
  };

  const root = rootTypeOf(schema, operation);
  if (isObjectType(root)) walk(operation.selectionSet, root);
  const needed = [...fixed.values()];
  return {
    assert(auth, variables) {
      for (const requirement of needed) if (requirement.kind !== 'proof') assertMeets(auth, requirement);
      for (const read of engines) {
        const value = read(variables);
        for (const segment of Array.isArray(value) ? value : [value]) assertReadsEngine(auth, segments, segment);
      }
      // who may not do it at all is not asked to prove who they are
      for (const requirement of needed) if (requirement.kind === 'proof') assertMeets(auth, requirement);
    },
  };
}
