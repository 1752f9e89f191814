import {
  getNamedType,
  isCompositeType,
  isListType,
  isNonNullType,
  Kind,
  valueFromASTUntyped,
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { badRequest } from '../kit/base/errors.js';

type Variables = Readonly<Record<string, unknown>>;

/** The argument that says how many rows a field gives, and the most it may say (decision 9). */
const SIZE = 'page_size';
const MOST_ROWS = 200;

/** Rows that a list is taken for when no argument bounds it. */
const UNBOUNDED_ROWS = 10;

const isList = (type: GraphQLOutputType): boolean => isListType(isNonNullType(type) ? type.ofType : type);

/** Rows that an argument of `node` asks for; null when the field has no such argument. Throws BAD_REQUEST for what is no page size. */
function rowsOf(node: FieldNode, field: GraphQLField<unknown, unknown>, variables: Variables): number | null {
  const argument = field.args.find(({ name }) => name === SIZE);
  if (!argument) return null;
  const given = node.arguments?.find(({ name }) => name.value === SIZE)?.value;
  const value = (given && valueFromASTUntyped(given, variables)) ?? argument.defaultValue ?? MOST_ROWS;
  if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > MOST_ROWS)
    throw badRequest(`${SIZE} must be a whole number from 1 to ${MOST_ROWS}`);
  return value as number;
}

function withDefaults(operation: OperationDefinitionNode, given: Variables): Variables {
  const defaults = (operation.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
    defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)] as const] : [],
  );
  return { ...Object.fromEntries(defaults), ...given };
}

/**
 * Fields that an operation may answer with at most: every field once for each row of the lists around it. A page's rows are its
 * `page_size`; a list that no argument bounds is taken for 10 rows.
 * @throws PalisadeError BAD_REQUEST for a page size out of 1 to 200
 */
export function costOf(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode, given: Variables): number {
  const variables = withDefaults(operation, given);
  const fragments = new Map(
    document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [])),
  );
  // A fragment costs the same wherever it is spread in lists of one kind, so each is counted twice at most, however often it is spread.
  const known = new Map<string, number>();

  const ofSet = (set: SelectionSetNode, parent: GraphQLCompositeType, bounded: boolean): number => {
    let sum = 0;
    for (const node of set.selections) {
      if (node.kind === Kind.FIELD) sum += ofField(node, parent, bounded);
      else if (node.kind === Kind.INLINE_FRAGMENT) sum += ofType(node.selectionSet, node.typeCondition?.name.value ?? parent.name, bounded);
      else sum += ofFragment(node.name.value, bounded);
    }
    return sum;
  };
  const ofType = (set: SelectionSetNode, name: string, bounded: boolean): number => {
    const type = schema.getType(name);
    return isCompositeType(type) ? ofSet(set, type, bounded) : 0;
  };
  const ofFragment = (name: string, bounded: boolean): number => {
    const key = `${name}\0${bounded}`;
    const fragment = fragments.get(name);
    if (!known.has(key) && fragment) known.set(key, ofType(fragment.selectionSet, fragment.typeCondition.name.value, bounded));
    return known.get(key) ?? 0;
  };
  const ofField = (node: FieldNode, parent: GraphQLCompositeType, bounded: boolean): number => {
    const field = 'getFields' in parent ? parent.getFields()[node.name.value] : undefined;
    if (!field) return 1;
    const rows = rowsOf(node, field, variables);
    const inner = getNamedType(field.type);
    if (!node.selectionSet || !isCompositeType(inner)) return 1;
    const list = isList(field.type);
    const factor = rows ?? (list && !bounded ? UNBOUNDED_ROWS : 1);
    // The rows of a page lie one level deeper, in its list of items, which must not be counted again.
    return 1 + factor * ofSet(node.selectionSet, inner, rows !== null && !list);
  };
  const root = schema.getRootType(operation.operation);
  return root ? ofSet(operation.selectionSet, root, false) : 0;
}
