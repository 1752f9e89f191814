import {
  getNamedType,
  isCompositeType,
  isListType,
  isNonNullType,
  Kind,
  valueFromASTUntyped,
  type DocumentNode,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { badRequest } from '../kit/base/errors.js';

type Variables = Readonly<Record<string, unknown>>;

/** The arguments that say how many rows a field gives, and the most that they may say (decision 9). */
const SIZES = new Set(['page_size', 'limit', 'first']);
const MOST_ROWS = 200;

/** The arguments that name what a field answers about, one by one. */
const NAMED = /(?:^|_)u?ids$/;

/** Rows that a list is taken for when no argument bounds it. */
const UNBOUNDED_ROWS = 10;

/**
 * Fields that a selection answers with: `fixed` of them once, and `perRow` of them for each row of the page around it, whose rows lie in
 * the page's list of items.
 */
interface Cost {
  readonly fixed: number;
  readonly perRow: number;
}

const NOTHING: Cost = { fixed: 0, perRow: 0 };
const total = ({ fixed, perRow }: Cost, rows: number): number => fixed + perRow * rows;
const isList = (type: GraphQLOutputType): boolean => isListType(isNonNullType(type) ? type.ofType : type);

/** What an argument of a field is: given, by a variable, or by default. */
function valueOf(node: FieldNode, argument: GraphQLArgument, variables: Variables): unknown {
  const given = node.arguments?.find(({ name }) => name.value === argument.name)?.value;
  return (given && valueFromASTUntyped(given, variables)) ?? argument.defaultValue;
}

/** Rows that a field's size argument asks for; null when it has none. Throws BAD_REQUEST for what is no size. */
function sizeOf(node: FieldNode, field: GraphQLField<unknown, unknown>, variables: Variables): number | null {
  const argument = field.args.find(({ name }) => SIZES.has(name));
  if (!argument) return null;
  const value = valueOf(node, argument, variables) ?? MOST_ROWS;
  if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > MOST_ROWS)
    throw badRequest(`${argument.name} must be a whole number from 1 to ${MOST_ROWS}`);
  return value as number;
}

/** How many things a field's arguments name; null when they name none. */
function namedBy(node: FieldNode, field: GraphQLField<unknown, unknown>, variables: Variables): number | null {
  const counts = field.args
    .filter(({ name }) => NAMED.test(name))
    .map((argument) => valueOf(node, argument, variables))
    .flatMap((value) => (Array.isArray(value) ? [value.length] : []));
  return counts.length ? counts.reduce((product, count) => product * count) : null;
}

function withDefaults(operation: OperationDefinitionNode, given: Variables): Variables {
  const defaults = (operation.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
    defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)] as const] : [],
  );
  return { ...Object.fromEntries(defaults), ...given };
}

/**
 * Fields that an operation may answer with at most: every field once for each row of all the lists around it, multiplied (decision 49).
 * A list's rows are its `page_size`, `limit` or `first`, defaults included, or the ids that it is asked for; one that no argument bounds
 * is taken for 10 rows.
 * @throws PalisadeError BAD_REQUEST for a size out of 1 to 200
 */
export function costOf(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode, given: Variables): number {
  const variables = withDefaults(operation, given);
  const fragments = new Map(
    document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [])),
  );
  // A fragment costs the same wherever it is spread, so it is counted once.
  const known = new Map<string, Cost>();

  const ofSet = (set: SelectionSetNode, parent: GraphQLCompositeType): Cost => {
    let [fixed, perRow] = [0, 0];
    for (const node of set.selections) {
      const cost =
        node.kind === Kind.FIELD
          ? ofField(node, parent)
          : node.kind === Kind.INLINE_FRAGMENT
            ? ofType(node.selectionSet, node.typeCondition?.name.value ?? parent.name)
            : ofFragment(node.name.value);
      fixed += cost.fixed;
      perRow += cost.perRow;
    }
    return { fixed, perRow };
  };
  const ofType = (set: SelectionSetNode, name: string): Cost => {
    const type = schema.getType(name);
    return isCompositeType(type) ? ofSet(set, type) : NOTHING;
  };
  const ofFragment = (name: string): Cost => {
    const fragment = fragments.get(name);
    if (!known.has(name) && fragment) known.set(name, ofType(fragment.selectionSet, fragment.typeCondition.name.value));
    return known.get(name) ?? NOTHING;
  };
  const ofField = (node: FieldNode, parent: GraphQLCompositeType): Cost => {
    const field = 'getFields' in parent ? parent.getFields()[node.name.value] : undefined;
    if (!field) return { fixed: 1, perRow: 0 };
    const size = sizeOf(node, field, variables);
    const named = namedBy(node, field, variables);
    const type = getNamedType(field.type);
    if (!node.selectionSet || !isCompositeType(type)) return { fixed: 1, perRow: 0 };
    const inner = ofSet(node.selectionSet, type);
    // A page: its own fields stand once, and its rows in the list within.
    if (!isList(field.type)) return { fixed: 1 + total(inner, (named ?? 1) * (size ?? (named === null ? UNBOUNDED_ROWS : 1))), perRow: 0 };
    // A list of the things named, each with its rows in a list within.
    if (named !== null) return { fixed: 1 + named * total(inner, size ?? UNBOUNDED_ROWS), perRow: 0 };
    if (size !== null) return { fixed: 1 + size * total(inner, UNBOUNDED_ROWS), perRow: 0 };
    return { fixed: 1, perRow: total(inner, UNBOUNDED_ROWS) };
  };
  const root = schema.getRootType(operation.operation);
  return root ? total(ofSet(operation.selectionSet, root), UNBOUNDED_ROWS) : 0;
}
