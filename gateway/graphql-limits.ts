import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import { maxDirectivesRule } from '@escape.tech/graphql-armor-max-directives';
import {
  GraphQLError,
  Kind,
  NoFragmentCyclesRule,
  parse,
  validate,
  type DocumentNode,
  type GraphQLSchema,
  type SelectionSetNode,
  type ValidationRule,
  type ASTVisitor,
} from 'graphql';
import { badRequest } from '../kit/base/errors.js';

/** What one operation of a client may ask for, at most. */
export const GRAPHQL_LIMITS = { characters: 65_536, tokens: 2_000, depth: 12, aliases: 30, directives: 50, cost: 50_000 } as const;

/** The same field again and again costs validation what an alias costs execution: within one selection it counts as one. */
const repeatedFieldsRule: ValidationRule = (context): ASTVisitor => ({
  SelectionSet(node: SelectionSetNode) {
    const seen = new Set<string>();
    let repeated = 0;
    for (const selection of node.selections) {
      if (selection.kind !== Kind.FIELD) continue;
      const key = selection.alias?.value ?? selection.name.value;
      if (seen.has(key)) repeated += 1;
      seen.add(key);
    }
    if (repeated > GRAPHQL_LIMITS.aliases)
      context.reportError(new GraphQLError(`A selection may repeat fields ${GRAPHQL_LIMITS.aliases} times`));
  },
});

const RULES: readonly ValidationRule[] = [
  maxDepthRule({ n: GRAPHQL_LIMITS.depth, flattenFragments: true }),
  maxAliasesRule({ n: GRAPHQL_LIMITS.aliases }),
  maxDirectivesRule({ n: GRAPHQL_LIMITS.directives }),
  repeatedFieldsRule,
] as readonly ValidationRule[];

/**
 * Refuses what no honest client sends, before it is validated, planned or run, and in time that is linear in the 2,000 tokens that are
 * read at most: depth, aliases, directives, repeated fields, fragment cycles.
 * @returns the document
 * @throws PalisadeError BAD_REQUEST
 */
export function assertWithinLimits(schema: GraphQLSchema, query: string): DocumentNode {
  if (query.length > GRAPHQL_LIMITS.characters) throw badRequest(`A document may have ${GRAPHQL_LIMITS.characters} characters`);
  try {
    const document = parse(query, { maxTokens: GRAPHQL_LIMITS.tokens });
    const [error] = [...validate(schema, document, [NoFragmentCyclesRule], { maxErrors: 1 })];
    if (error) throw error;
    const [second] = validate(schema, document, RULES, { maxErrors: 1 });
    if (second) throw second;
    return document;
  } catch (error) {
    // The rules report by throwing; their messages name the limit and what was found.
    if (error instanceof GraphQLError) throw badRequest(error.message.replace(/^Syntax Error: (?=.* limit of )/, ''));
    throw error;
  }
}
