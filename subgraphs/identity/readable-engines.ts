import { Kind, parse } from 'graphql';
import type { AuthContext } from '../../kit/base/auth-context.js';
import type { EngineContext } from '../../kit/engine/context.js';
import type { EngineCaller } from '../../kit/engine/caller.js';
import { isPermission } from '../../schema/permissions.js';

/** What each query of an engine requires; asked once of each engine, because a schema does not change while processes run. */
const known = new WeakMap<EngineCaller, Map<string, readonly string[]>>();

/** The permissions that the root queries of a subgraph require, as its schema says. */
function requirementsIn(sdl: string): string[] {
  return parse(sdl, { noLocation: true }).definitions.flatMap((node) => {
    const isQuery = (node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.OBJECT_TYPE_EXTENSION) && node.name.value === 'Query';
    return (isQuery ? (node.fields ?? []) : []).flatMap((field) => {
      const value = field.directives?.find(({ name }) => name.value === 'permission')?.arguments?.[0]?.value;
      return value?.kind === Kind.STRING ? [value.value] : [];
    });
  });
}

async function askRequirements(caller: EngineCaller, engine: string, auth: AuthContext): Promise<readonly string[]> {
  const schemas = known.get(caller) ?? new Map<string, readonly string[]>();
  known.set(caller, schemas);
  const hit = schemas.get(engine);
  if (hit) return hit;
  const { data } = await caller.call<{ _service: { sdl: string } }>({ engine, query: '{ _service { sdl } }', auth });
  if (!data) return [];
  const requirements = requirementsIn(data._service.sdl);
  schemas.set(engine, requirements);
  return requirements;
}

/** The engines with a query that the caller's role may run, in the order of the list. An engine that is away is left out. */
export async function listReadableEngines({ auth, services: { caller } }: EngineContext): Promise<string[]> {
  const held: readonly string[] = auth.permissions;
  const mayRun = (requires: string) => requires.split('+').every((part) => isPermission(part) && held.includes(part));
  const answers = await Promise.all(
    caller.engines.map(async (engine) => ({ engine, requirements: await askRequirements(caller, engine, auth) })),
  );
  return answers.filter(({ requirements }) => requirements.some(mayRun)).map(({ engine }) => engine);
}
