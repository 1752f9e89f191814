import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { z } from 'zod';
import { EDGE_KINDS, PROVIDERS, type Provider } from '../schema/model.js';
import { parsePath } from './attribute-path.js';
import { compile } from './cel/environment.js';
import { READINGS } from './facet-readings.js';
import { TYPE_PREFIXES } from './resource-name.js';

const text = z.string().trim().min(1);
const sentence = z.string().regex(/^[A-Z].*\.$/s, 'a description is a whole sentence');
const scalar = z.union([z.string(), z.number(), z.boolean()]);
const name = z.string().regex(/^[a-z][a-z0-9_]*$/);

const fieldSchema = z.strictObject({
  type: z.enum(['text', 'boolean', 'integer', 'moment', 'enum']),
  description: sentence,
  filter: z.boolean().default(false),
  sort: z.boolean().default(false),
  /** Values of an enum with what each means. */
  values: z.record(name, sentence).optional(),
  /** CEL over the facet's other fields, which are `r`: the field needs no line in the providers' files. */
  derived: text.optional(),
});

/** What edges of the asset graph say of a resource: those that lead to the others that are meant. */
const linkSchema = z.strictObject({
  description: sentence,
  edges: z.array(z.strictObject({ kind: z.enum(EDGE_KINDS), direction: z.enum(['out', 'in']) })).min(1),
});

const facetSchema = z.strictObject({
  description: sentence,
  engine: text,
  fields: z.record(name, fieldSchema),
  links: z.record(name, linkSchema).default({}),
  /** Providers that have nothing of the kind, and why. */
  without: z.partialRecord(z.enum(PROVIDERS), sentence).default({}),
});

const pathSchema = z.strictObject({
  path: text,
  /** How the text is read: a name of READINGS. */
  as: z.string().optional(),
  /** What the provider's values mean; others are null. */
  values: z.record(z.string(), scalar).optional(),
  /** The provider's default. */
  absent: scalar.optional(),
  /** The provider fills it in, so that its schema of arguments does not name it. */
  computed: z.literal(true).optional(),
});

const sourceSchema = z.union([
  text.transform((path): z.infer<typeof pathSchema> => ({ path })),
  pathSchema,
  z.strictObject({ cel: text, absent: scalar.optional() }),
  z.strictObject({ value: scalar }),
]);

const lineSchema = z.strictObject({
  type: z.union([text.transform((type) => [type]), z.array(text).min(1)]),
  fields: z.record(name, z.union([sourceSchema.transform((source) => [source]), z.array(sourceSchema).min(1)])),
  sample: z.record(z.string(), z.unknown()),
});

/** A field of a facet, as its file declares it. */
export type FacetField = z.infer<typeof fieldSchema>;
/** What edges say of a resource, as a facet's file declares it. */
export type FacetLink = z.infer<typeof linkSchema>;
/** Where a provider's type has a field: the first source that gives a value counts. */
export type FieldSource = z.infer<typeof sourceSchema>;
/** What a provider's types (one resource under several names) tell of a facet's fields. */
export interface FacetLine {
  provider: Provider;
  type: string[];
  fields: Record<string, FieldSource[]>;
  /** A configuration that sets every field. */
  sample: Record<string, unknown>;
}
/** A facet as its files say it: what resources of many types have in common. */
export interface FacetSource {
  name: string;
  description: string;
  engine: string;
  fields: Record<string, FacetField>;
  links: Record<string, FacetLink>;
  /** Providers that have nothing of the kind, and why. */
  without: Partial<Record<Provider, string>>;
  lines: FacetLine[];
}

const issues = (place: string, error: z.ZodError): string[] =>
  error.issues.map(({ path, message }) => `${place}${path.length === 0 ? '' : ` ${path.join('.')}`}: ${message}`);

/**
 * Reads `<folder>/<facet>/facet.yaml` and the provider files beside each.
 * @param mistakes takes what is wrong with the files; what is right is still given back
 */
export function readFacets(folder: string, mistakes: string[]): FacetSource[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .flatMap((facet) => {
      const declared = facetSchema.safeParse(parseYaml(join(folder, facet, 'facet.yaml'), mistakes));
      if (!declared.success) {
        mistakes.push(...issues(`${facet}/facet.yaml`, declared.error));
        return [];
      }
      const { fields, links } = declared.data;
      for (const link of Object.keys(links)) if (link in fields) mistakes.push(`${facet}/facet.yaml ${link}: a field and a link`);
      for (const [field, { type, values, derived }] of Object.entries(fields)) {
        const place = `${facet}/facet.yaml ${field}`;
        if ((type === 'enum') !== (values !== undefined)) mistakes.push(`${place}: an enum has values, and nothing else does`);
        if (derived !== undefined) mistakes.push(...celFaults(place, derived));
      }
      const lines = readdirSync(join(folder, facet))
        .filter((file) => file !== 'facet.yaml')
        .sort()
        .flatMap((file) => readLines(join(folder, facet, file), `${facet}/${file}`, file, fields, mistakes));
      const types = lines.flatMap(({ type }) => type);
      for (const type of new Set(types.filter((one, i) => types.indexOf(one) !== i))) mistakes.push(`${facet}: ${type} has two lines`);
      return [{ name: facet, ...declared.data, lines }];
    });
}

function readLines(path: string, place: string, file: string, fields: Record<string, FacetField>, mistakes: string[]): FacetLine[] {
  const provider = PROVIDERS.find((known) => file === `${known}.yaml`);
  if (provider === undefined) {
    mistakes.push(`${place}: neither facet.yaml nor a provider's file`);
    return [];
  }
  const items = parseYaml(path, mistakes);
  if (!Array.isArray(items)) {
    mistakes.push(`${place}: expected a list of types`);
    return [];
  }
  return items.flatMap((item: unknown, i) => {
    const parsed = lineSchema.safeParse(item);
    const at = `${place} item ${i} (${JSON.stringify((item as { type?: unknown } | null)?.type)})`;
    if (!parsed.success) {
      mistakes.push(...issues(at, parsed.error));
      return [];
    }
    const line: FacetLine = { provider, ...parsed.data };
    mistakes.push(...lineFaults(at, line, fields));
    return [line];
  });
}

/** Types of what runs in no named cloud, whatever provider a tenant gives it: the file of k8s has their lines. */
const IN_NO_CLOUD: ReadonlySet<string> = new Set(['technology_target']);

function* lineFaults(at: string, { provider, type, fields }: FacetLine, declared: Record<string, FacetField>): Iterable<string> {
  for (const one of type)
    if (!one.startsWith(TYPE_PREFIXES[provider]) && !(provider === 'k8s' && IN_NO_CLOUD.has(one)))
      yield `${at}: ${one} is no type of ${provider}`;
  for (const [field, sources] of Object.entries(fields)) {
    const declaration = declared[field];
    if (declaration === undefined) yield `${at}: the facet has no field ${field}`;
    else if (declaration.derived !== undefined) yield `${at}: ${field} is derived from other fields`;
    for (const source of sources) {
      if ('cel' in source) yield* celFaults(`${at} ${field}`, source.cel);
      if (!('path' in source)) continue;
      if (source.as !== undefined && !Object.hasOwn(READINGS, source.as)) yield `${at} ${field}: there is no reading ${source.as}`;
      try {
        parsePath(source.path);
      } catch (error) {
        yield `${at} ${field}: ${(error as Error).message}`;
      }
    }
  }
}

function celFaults(place: string, expression: string): string[] {
  try {
    compile(expression);
    return [];
  } catch (error) {
    return [`${place}: ${(error as Error).message}`];
  }
}

function parseYaml(path: string, mistakes: string[]): unknown {
  try {
    return load(readFileSync(path, 'utf8'));
  } catch (error) {
    mistakes.push(`${path}: ${(error as Error).message}`);
    return undefined;
  }
}
