import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { z } from 'zod';
import { PROVIDERS, SEVERITIES, type Provider } from '../schema/model.js';
import type { Family, Target } from './types.js';

/** A family with its targets by provider. */
export interface FamilySource {
  family: Family;
  targets: Map<Provider, Target[]>;
}

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const text = z.string().trim().min(1);
const outcome = z.enum(['pass', 'fail', 'not_applicable']);
const check = {
  is: z.boolean().optional(),
  one_of: z.array(scalar).min(1).optional(),
  none_of: z.array(scalar).min(1).optional(),
  ignore_case: z.boolean().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  matches: text.optional(),
  not_matches: text.optional(),
  set: z.boolean().optional(),
  literal: z.literal(false).optional(),
  cel: text.optional(),
  absent: outcome.optional(),
};
const step = z.strictObject({ action: text, detail: text.optional() });
const link = z.strictObject({ title: text, url: z.url({ protocol: /^https$/ }) });
const configuration = z.record(z.string(), z.unknown());
const severity = z.enum(SEVERITIES);
const engine = z.enum(['check', 'iam', 'datasec', 'dbsec', 'encryption', 'network-security', 'container-security', 'ai-security']);

const familySchema = z.strictObject({
  title: text,
  description: text,
  rationale: text,
  severity,
  engine,
  module: text,
  subcategory: text,
  techniques: z.array(z.string().regex(/^T\d{4}(?:\.\d{3})?$/)),
  remediation: z.strictObject({ effort: text, steps: z.array(step).min(1) }),
  references: z.array(link).min(1),
  check: z.strictObject(check).default({}),
  expected: text.optional(),
  variants: z.array(z.looseObject({ slug: text, severity: severity.optional() })).default([]),
  implies: z.array(z.strictObject({ by: z.array(text).min(1).optional(), rules: z.array(text).min(1) })).default([]),
  together: z.boolean().default(false),
  recommended: z.array(z.union([text, z.strictObject({ types: z.array(text).min(1), ends: z.array(text).min(1) })])).default([]),
});

const targetSchema = z.strictObject({
  ...check,
  type: z.union([text.transform((type) => [type]), z.array(text).min(1)]),
  path: text.optional(),
  slug: z
    .string()
    .regex(/^[a-z][a-z0-9_.]*$/)
    .optional(),
  block_absent: outcome.optional(),
  each: z.enum(['all', 'any']).optional(),
  when: text.optional(),
  given: configuration.optional(),
  pass: configuration.optional(),
  fail: configuration.optional(),
  vars: z.record(z.string(), z.string()).optional(),
  parameters: z.record(z.string().regex(/^\w+$/), z.union([z.number(), z.array(scalar).min(1)])).optional(),
  only: z.array(text).min(1).optional(),
  implies: z.array(text).min(1).optional(),
  title: text.optional(),
  description: text.optional(),
  rationale: text.optional(),
  severity: severity.optional(),
  engine: engine.optional(),
  expected: text.optional(),
  steps: z.array(step).min(1).optional(),
  references: z.array(link).min(1).optional(),
});

/** Mistakes in the catalog's files, all at once. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError';
  constructor(readonly mistakes: readonly string[]) {
    super(`the catalog has ${mistakes.length} mistakes:\n${mistakes.slice(0, 200).join('\n')}`);
  }
}

const issues = (place: string, error: z.ZodError): string[] =>
  error.issues.map(({ path, message }) => `${place}${path.length === 0 ? '' : ` ${path.join('.')}`}: ${message}`);

/**
 * Reads `<folder>/<family>/family.yaml` and the provider files beside each.
 * @param mistakes takes what is wrong with the files; what is right is still given back
 */
export function readFamilies(folder: string, mistakes: string[]): FamilySource[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .flatMap((name) => {
      const family = readFamily(folder, name, mistakes);
      return family === undefined ? [] : [family];
    });
}

function readFamily(folder: string, name: string, mistakes: string[]): FamilySource | undefined {
  const files = readdirSync(join(folder, name));
  const targets = new Map<Provider, Target[]>();
  for (const file of files.sort()) {
    if (file === 'family.yaml') continue;
    const provider = PROVIDERS.find((known) => file === `${known}.yaml`);
    if (provider === undefined) mistakes.push(`${name}/${file}: neither family.yaml nor a provider's file`);
    else targets.set(provider, readTargets(join(folder, name, file), `${name}/${file}`, mistakes));
  }
  if (!files.includes('family.yaml')) {
    mistakes.push(`${name}: there is no family.yaml`);
    return undefined;
  }
  const parsed = familySchema.safeParse(parseYaml(join(folder, name, 'family.yaml'), `${name}/family.yaml`, mistakes));
  if (!parsed.success) {
    mistakes.push(...issues(`${name}/family.yaml`, parsed.error));
    return undefined;
  }
  const { remediation, ...rest } = parsed.data;
  return { family: { ...rest, family: name, effort: remediation.effort, steps: remediation.steps } as Family, targets };
}

function readTargets(path: string, place: string, mistakes: string[]): Target[] {
  const list = parseYaml(path, place, mistakes) ?? [];
  if (!Array.isArray(list)) {
    mistakes.push(`${place}: expected a list of targets`);
    return [];
  }
  return list.flatMap((item: unknown, i) => {
    const parsed = targetSchema.safeParse(item);
    if (parsed.success) return [parsed.data as Target];
    const type = (item as { type?: unknown } | null)?.type;
    mistakes.push(...issues(`${place} item ${i} (${JSON.stringify(type)})`, parsed.error));
    return [];
  });
}

function parseYaml(path: string, place: string, mistakes: string[]): unknown {
  try {
    return load(readFileSync(path, 'utf8'));
  } catch (error) {
    mistakes.push(`${place}: ${(error as Error).message}`);
    return undefined;
  }
}
