import type { RetentionRule } from './retention-rule.js';
import { Kind, parse, type DocumentNode } from 'graphql';
import type { IResolvers } from '@graphql-tools/utils';
import { isPermission, type Permission } from '../../schema/permissions.js';
import type { EngineTask } from './background.js';
import type { AnyCollection } from '../store/collection.js';
import type { EngineContext, IngestSinks } from './context.js';
import type { FindingFacts } from './finding-facts.js';
import type { AgentGate } from './agent-gate.js';
import type { EngineHook } from './hook.js';
import type { JobHandler } from './job.js';
import { expandPages } from './page-types.js';
import type { AssetProjection } from './projection.js';
import type { Route } from './routes.js';
import { guardSecrets } from './secret-guard.js';

/** One subject of an engine, in a folder of its own: `subgraphs/identity/invites/part.ts`. It holds what the engine's own fields of these names hold. */
export type EnginePart = Partial<
  Pick<EngineDefinition, 'routes' | 'collections' | 'retention' | 'jobs' | 'background' | 'hooks' | 'projections'>
> &
  Pick<EngineDefinition, 'prefixes' | 'typeDefs' | 'resolvers'>;

/** What an engine is, as data. */
export interface EngineDefinition {
  /** Name in the list, in `ENGINES`, in URLs of the engine transport: `container-security`. */
  name: string;
  label: string;
  /** What it is for, one sentence; shown by /gateway/services. */
  description: string;
  /** The REST prefixes it owns, below /api/v1. */
  prefixes: readonly string[];
  /** Its part of the graph, without base.graphql (which is added); `@page` on the type of a list's rows gives the list's page. */
  typeDefs: string;
  resolvers: IResolvers<unknown, EngineContext>;
  routes?: readonly Route[];
  collections?: readonly AnyCollection[];
  /** What of its rows is removed when it is old. */
  retention?: readonly RetentionRule[];
  /** What it does in the background: kind of job -> handler. */
  jobs?: Readonly<Record<string, JobHandler>>;
  /** What runs in every worker process as long as the process does. */
  background?: readonly EngineTask[];
  /** Ways in for the messages of other systems. */
  hooks?: readonly EngineHook[];
  /** The way in for host agents, of the engine that knows them. */
  agentGates?: readonly AgentGate[];
  /** Its views of the inventory, kept in step with it. */
  projections?: readonly AssetProjection[];
  /** What it takes from scan runs beside findings. */
  ingest?: Partial<IngestSinks>;
  /** Its further subjects. */
  parts?: readonly EnginePart[];
}

/** A checked engine, as the list holds it. */
export interface Engine extends Required<Omit<EngineDefinition, 'typeDefs' | 'parts'>> {
  readonly document: DocumentNode;
  /** Present on finding engines: view segment, read permission, evidence, ingest facts. */
  readonly findings: FindingFacts | null;
}

const ROOT_TYPES = new Set(['Query', 'Mutation']);
const ANY = /^(any|person|role:[a-z_]+|model:[a-z_]+|\{[a-z_]+\}:read)$/;

const assertRequirement = (where: string, requires: string) => {
  for (const part of requires.split('+'))
    if (!isPermission(part) && !ANY.test(part)) throw new Error(`${where}: unknown permission "${part}"`);
};

/** Every root field of `document` with the argument of its `@permission`. */
function* rootFields(document: DocumentNode): Iterable<{ type: string; field: string; requires: string | null; described: boolean }> {
  for (const node of document.definitions) {
    if (node.kind !== Kind.OBJECT_TYPE_DEFINITION && node.kind !== Kind.OBJECT_TYPE_EXTENSION) continue;
    for (const field of node.fields ?? []) {
      const permission = field.directives?.find((directive) => directive.name.value === 'permission');
      const value = permission?.arguments?.find((argument) => argument.name.value === 'requires')?.value;
      const requires = value?.kind === Kind.STRING ? value.value : null;
      if (requires !== null) assertRequirement(`${node.name.value}.${field.name.value}`, requires);
      if (ROOT_TYPES.has(node.name.value))
        yield { type: node.name.value, field: field.name.value, requires, described: Boolean(field.description) };
    }
  }
}

/**
 * Makes an engine from its description and checks what can be checked at start.
 * @throws an Error that names the engine and the field: a root field without `@permission`, an unknown permission, a route without its field
 */
export function defineEngine(whole: EngineDefinition, findings: FindingFacts | null = null): Engine {
  const { parts = [], ...own } = whole;
  const definition = parts.reduce(joinPart, own);
  const fail = (message: string): never => {
    throw new Error(`engine ${definition.name}: ${message}`);
  };
  const document = expandPages(parse(definition.typeDefs, { noLocation: true }));
  const fields = new Map<string, string>();
  for (const { type, field, requires } of rootFields(document)) {
    if (requires === null) fail(`${type}.${field} has no @permission`);
    fields.set(field, type);
  }
  for (const route of definition.routes ?? []) {
    const type = fields.get(route.field) ?? fail(`the route ${route.method} ${route.path} names the unknown field ${route.field}`);
    if ((route.method === 'GET') !== (type === 'Query')) fail(`${route.method} ${route.path} cannot run ${type}.${route.field}`);
    if (!definition.prefixes.includes(route.path.split('/')[1]!))
      fail(`${route.path} is outside its prefixes ${definition.prefixes.join(', ')}`);
  }
  const resolvers = guardSecrets(document, definition.resolvers);
  return {
    routes: [],
    collections: [],
    retention: [],
    jobs: {},
    background: [],
    hooks: [],
    agentGates: [],
    projections: [],
    ingest: {},
    ...definition,
    resolvers,
    document,
    findings,
  };
}

function joinPart(engine: EngineDefinition, part: EnginePart): EngineDefinition {
  return {
    ...engine,
    prefixes: [...new Set([...engine.prefixes, ...part.prefixes])],
    typeDefs: `${engine.typeDefs}\n${part.typeDefs}`,
    resolvers: mergeResolvers(engine.resolvers, part.resolvers),
    routes: [...(engine.routes ?? []), ...(part.routes ?? [])],
    collections: [...(engine.collections ?? []), ...(part.collections ?? [])],
    retention: [...(engine.retention ?? []), ...(part.retention ?? [])],
    jobs: { ...engine.jobs, ...part.jobs },
    background: [...(engine.background ?? []), ...(part.background ?? [])],
    hooks: [...(engine.hooks ?? []), ...(part.hooks ?? [])],
    projections: [...(engine.projections ?? []), ...(part.projections ?? [])],
  };
}

type Resolvers = EngineDefinition['resolvers'];

/** Two maps of resolvers as one; the fields of a type that both name stand beside each other. */
function mergeResolvers(one: Resolvers, other: Resolvers): Resolvers {
  const merged: Record<string, unknown> = { ...one };
  for (const [type, fields] of Object.entries(other)) merged[type] = { ...(merged[type] as object | undefined), ...(fields as object) };
  return merged as Resolvers;
}

/** What each query of an engine asks of its caller: the arguments of their `@permission`. */
export const queryRequirements = ({ document }: Pick<Engine, 'document'>): string[] =>
  [...rootFields(document)].flatMap(({ type, requires }) => (type === 'Query' && requires !== null ? [requires] : []));

/** Engine name -> prefix of its root fields: `container-security` -> `container_security`. */
export const fieldPrefix = (engine: string): string => engine.replaceAll('-', '_');

export type { Permission };
