import { Kind, type DocumentNode } from 'graphql';
import type { Engine } from '../../kit/engine/engine.js';
import { forbidden, missingPermission, notFound } from '../../kit/base/errors.js';
import { holds, type AuthContext } from '../../kit/base/auth-context.js';
import { assertPerson, assertProved } from '../../kit/base/person.js';
import { isPermission, type Permission } from '../../schema/permissions.js';
import type { Requirement } from '../../schema/requirement.js';

/** Field coordinate (`Query.asset`) -> what its caller must hold. A field that is not in it has no `@permission`. */
export type RequirementTable = ReadonlyMap<string, readonly Requirement[]>;

/** View segment of a finding engine -> the permission that reads it. */
export type ViewSegments = ReadonlyMap<string, Permission>;

/** The view segments of the engines that have findings. */
export const viewSegmentsOf = (engines: readonly Engine[]): ViewSegments =>
  new Map(engines.flatMap(({ findings }) => (findings ? [[findings.viewSegment, findings.permission] as const] : [])));

function parsePart(part: string): Requirement | null {
  if (part === 'any') return null;
  if (part === 'person') return { kind: 'person' };
  if (isPermission(part)) return { kind: 'permission', permission: part };
  const role = /^role:([a-z_]+)$/.exec(part);
  if (role) return { kind: 'role', role: role[1]! };
  const model = /^model:([a-z_]+)$/.exec(part);
  if (model) return { kind: 'model', model: model[1]! };
  const engine = /^\{([a-z_]+)\}:read$/.exec(part);
  if (engine) return { kind: 'engine', argument: engine[1]! };
  throw new Error(`unknown permission "${part}"`);
}

/**
 * Reads the argument of `@permission`: permissions joined by `+`, `any`, `person`, `role:<role>`, `model:<name>`, `{argument}:read`.
 * @throws an Error that names the part that is none of them
 */
export const parseRequirement = (requires: string): Requirement[] =>
  requires
    .split('+')
    .map(parsePart)
    .filter((part) => part !== null);

/** Reads every `@permission` of a schema document, be it the supergraph's or an engine's. */
export function readRequirements(document: DocumentNode): RequirementTable {
  const table = new Map<string, Requirement[]>();
  for (const node of document.definitions) {
    if (!('fields' in node) || !node.fields || !('name' in node) || !node.name) continue;
    for (const field of node.fields) {
      for (const directive of field.directives ?? []) {
        if (directive.name.value !== 'permission') continue;
        const value = directive.arguments?.find((argument) => argument.name.value === 'requires')?.value;
        if (value?.kind !== Kind.STRING) continue;
        const required = parseRequirement(value.value);
        const takesProof = node.name.value === 'Mutation' && required.some(({ kind }) => kind === 'person');
        table.set(`${node.name.value}.${field.name.value}`, takesProof ? [...required, { kind: 'proof' }] : required);
      }
    }
  }
  return table;
}

/** Throws FORBIDDEN, or UNAUTHENTICATED for a proof that is too old, when `auth` does not meet a requirement that names no argument. */
export function assertMeets(auth: AuthContext, requirement: Exclude<Requirement, { kind: 'engine' }>): void {
  if (requirement.kind === 'role') {
    if (auth.role !== requirement.role) throw forbidden(`Missing role: ${requirement.role}`);
  } else if (requirement.kind === 'person') {
    assertPerson(auth);
  } else if (requirement.kind === 'proof') {
    assertProved(auth);
  } else if (requirement.kind === 'model') {
    if (auth.reading?.model !== requirement.model) throw forbidden('Engines alone read this');
  } else if (!holds(auth, requirement.permission)) throw missingPermission(requirement.permission);
}

/** Throws NOT_FOUND when `segment` names no finding engine, FORBIDDEN when `auth` may not read that one. */
export function assertReadsEngine(auth: AuthContext, segments: ViewSegments, segment: unknown): void {
  const permission = typeof segment === 'string' ? segments.get(segment) : undefined;
  if (permission === undefined) throw notFound('Engine');
  if (!holds(auth, permission)) throw missingPermission(permission);
}

/** The field of an engine's own work, which no caller asked for. */
export const OWN_WORK = 'job';

/**
 * Checks the claim of a read model: the caller holds what the field asks for that the model is read for (decision 39). What an argument names
 * was checked where the argument is known.
 * @throws PalisadeError FORBIDDEN
 */
export function assertReadsFor(auth: AuthContext, requirements: RequirementTable): void {
  const { field } = auth.reading ?? {};
  if (field === undefined || field === OWN_WORK) return;
  const needed = requirements.get(field);
  if (!needed) throw forbidden('Engines alone read this');
  for (const requirement of needed) if (requirement.kind !== 'engine' && requirement.kind !== 'model') assertMeets(auth, requirement);
}
