import { buildASTSchema, Kind, type DefinitionNode, type DirectiveNode, type DocumentNode, type GraphQLSchema } from 'graphql';

/** Names of what federation adds to a supergraph beside the graph itself. */
const MACHINERY = /^(?:join|link)__/;
/** Directives that clients see on what they ask; all others are between engines and gateway. */
const SHOWN = new Set(['deprecated', 'specifiedBy']);

interface Directed {
  readonly directives?: readonly DirectiveNode[];
}
/** What a definition holds that may be inaccessible by itself. */
interface Holder extends Directed {
  readonly fields?: readonly Directed[];
  readonly arguments?: readonly Directed[];
  readonly values?: readonly Directed[];
}

const isAccessible = ({ directives }: Directed): boolean => !directives?.some(({ name }) => name.value === 'inaccessible');

/** A node as clients see it, and all within it. */
function shown<Node extends Directed>(node: Node): Node {
  const { directives, fields, arguments: args, values }: Holder = node;
  const those = (nodes: readonly Directed[] | undefined) => nodes?.filter(isAccessible).map(shown);
  return {
    ...node,
    directives: directives?.filter(({ name }) => SHOWN.has(name.value)),
    ...(fields && { fields: those(fields) }),
    ...(args && { arguments: those(args) }),
    ...(values && { values: those(values) }),
  };
}

const isOfTheGraph = (node: DefinitionNode): boolean =>
  node.kind !== Kind.DIRECTIVE_DEFINITION && 'name' in node && !MACHINERY.test(node.name?.value ?? '') && isAccessible(node);

/**
 * What clients may ask: a supergraph without the machinery of federation and without what is `@inaccessible`. It is what Apollo's own
 * `toAPISchema` gives, which a test holds, at a fraction of the time, because a supergraph is valid when it was composed.
 */
export function apiSchemaOf(supergraph: DocumentNode): GraphQLSchema {
  const definitions = supergraph.definitions.filter(isOfTheGraph).map((node) => shown(node));
  return buildASTSchema({ kind: Kind.DOCUMENT, definitions }, { assumeValid: true, assumeValidSDL: true });
}
