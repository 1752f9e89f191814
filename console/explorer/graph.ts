import { buildASTSchema, Kind, parse, visit, type FieldDefinitionNode, type GraphQLSchema } from 'graphql';
import type { Requirement } from '../../schema/requirement.js';
import type { ExplorerGraph } from '../../schema/explorer.js';

/** Who looks: what `GET /api/v1/users/me` answers, as far as the explorer reads it. */
export interface Me {
  readonly user_id: string;
  readonly tenant_id: string;
  readonly email: string;
  readonly role: string;
  readonly permissions: readonly string[];
}

/** The engines that answer a field: its own ones, or all that have its type. */
export const enginesOf = (graph: ExplorerGraph, type: string, field: string): readonly string[] =>
  graph.fields[`${type}.${field}`] ?? graph.types[type] ?? [];

/** A requirement in words. */
export function wordsOf(requirement: Requirement): string {
  switch (requirement.kind) {
    case 'permission':
      return requirement.permission;
    case 'role':
      return `role ${requirement.role}`;
    case 'person':
      return 'a person, no API key';
    case 'proof':
      return 'a proof of who you are, at most 15 minutes old';
    case 'engine':
      return `the read permission of what ${requirement.argument} names`;
    case 'model':
      return `the model ${requirement.model}`;
  }
}

/** What a description says beside its text: who answers the field, what it asks for, and where REST has it. */
function factsOf(graph: ExplorerGraph, type: string, field: string): string | null {
  const coordinate = `${type}.${field}`;
  const needed = graph.requirements[coordinate] ?? [];
  const route = graph.routes[coordinate];
  const engines = graph.fields[coordinate] ?? [];
  const facts = [
    engines.length === 1 && `Engine \`${engines[0]}\``,
    needed.length > 0 && `needs ${needed.map((one) => (one.kind === 'permission' ? `\`${one.permission}\`` : wordsOf(one))).join(' and ')}`,
    route && `REST \`${route}\``,
  ].filter(Boolean);
  return facts.length > 0 ? facts.join(' · ') : null;
}

/** The graph as a schema whose descriptions tell of the federation, too: the reference and the editor's hints show them. */
export function schemaOf(graph: ExplorerGraph): GraphQLSchema {
  const document = visit(parse(graph.sdl, { noLocation: true }), {
    ObjectTypeDefinition: (type) => ({
      ...type,
      fields: type.fields?.map((field): FieldDefinitionNode => {
        const facts = factsOf(graph, type.name.value, field.name.value);
        if (facts === null) return field;
        const text = field.description?.value ?? '';
        return { ...field, description: { kind: Kind.STRING, value: `${text}\n\n${facts}`.trim(), block: true } };
      }),
    }),
  });
  return buildASTSchema(document, { assumeValid: true, assumeValidSDL: true });
}
