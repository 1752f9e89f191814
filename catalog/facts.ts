import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { z } from 'zod';
import { DATA_CLASSES } from './data-classes.js';
import { fieldValue } from './facet.js';
import { facetSources } from './facets.js';
import { CatalogError } from './families.js';
import { SEVERITIES, type ExposureLevel } from '../schema/model.js';
import type { AssetFacts, Fact } from '../schema/facts.js';
import type { Observation } from '../schema/observations.js';

const FOLDER = fileURLToPath(new URL('./facts', import.meta.url));

/** What is said of how far the internet reaches a resource: at a port, or at all. */
const EXPOSURE = 'exposure';
const OPENING = /^(?:any|(?:tcp|udp)\/\d{1,5})$/;
/** What is said of the classes of data that a resource holds. */
const DATA = 'data';
const LEVELS: ReadonlySet<unknown> = new Set<ExposureLevel>(['public', 'restricted', 'private']);

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const fileSchema = z.strictObject({
  /** The scanners, as their observations name them. */
  sources: z.array(z.string().min(1)).min(1),
  /** Check -> `<facet>.<field>` -> the value that a failure, or a pass, tells. */
  checks: z.record(
    z.string(),
    z.record(
      z.string().regex(/^[a-z_]+\.[a-z0-9_/]+$/),
      z
        .strictObject({
          fail: scalar.optional(),
          pass: scalar.optional(),
          /** A failure of another severity tells nothing: some checks say so how much they have found. */
          severity: z.enum(SEVERITIES).optional(),
        })
        .refine(({ fail, pass }) => fail !== undefined || pass !== undefined, 'tells nothing'),
    ),
  ),
});

/** What a file of `catalog/facts/` says. */
export type FactFile = z.infer<typeof fileSchema>;

/** What is wrong with a file: facets and fields that there are not, and values that a field does not have. */
export function factFaults(name: string, { checks }: FactFile): string[] {
  const facets = new Map(facetSources().map((facet) => [facet.name, facet.fields]));
  return Object.entries(checks).flatMap(([check, told]) =>
    Object.entries(told).flatMap(([path, { fail, pass }]) => {
      const values = [fail, pass].filter((value) => value !== undefined);
      const [facet = '', field = ''] = path.split('.');
      const at = `${name}: ${check}: ${path}`;
      if (facet === EXPOSURE) {
        if (!OPENING.test(field)) return [`${at} is no opening`];
        return values.flatMap((value) => (LEVELS.has(value) ? [] : [`${at} cannot be ${value}`]));
      }
      if (facet === DATA) {
        if (!DATA_CLASSES.includes(field)) return [`${at} is no class of data`];
        return values.flatMap((value) => (typeof value === 'boolean' ? [] : [`${at} cannot be ${value}`]));
      }
      const declared = facets.get(facet)?.[field];
      if (declared === undefined) return [`${at} is no field of a facet`];
      return values.flatMap((value) => (fieldValue(declared, value) === value ? [] : [`${at} cannot be ${value}`]));
    }),
  );
}

/** The files of `catalog/facts/` by name. @throws CatalogError with every mistake in them */
export function readFactFiles(folder = FOLDER): ReadonlyMap<string, FactFile> {
  const files = new Map(
    readdirSync(folder)
      .sort()
      .map((name) => [name, fileSchema.parse(load(readFileSync(`${folder}/${name}`, 'utf8')))]),
  );
  const mistakes = [...files].flatMap(([name, file]) => factFaults(name, file));
  if (mistakes.length > 0) throw new CatalogError(mistakes);
  return files;
}

let known: ReadonlyMap<string, FactFile['checks']> | undefined;

const checksOf = (source: string): FactFile['checks'] | undefined =>
  (known ??= new Map([...readFactFiles().values()].flatMap(({ sources, checks }) => sources.map((one) => [one, checks])))).get(source);

/**
 * What an observation tells of its resource beside its finding; undefined where it tells nothing.
 * @param at when its run looked
 */
export function factsOf({ source = '', rule_id, result, severity }: Observation, at: Date): AssetFacts | undefined {
  const checks = checksOf(source);
  const told = checks !== undefined && Object.hasOwn(checks, rule_id) ? checks[rule_id] : undefined;
  const failed = result === 'FAIL';
  const facts: Record<string, Record<string, Fact>> = {};
  for (const [path, values] of Object.entries(told ?? {})) {
    const value = failed ? values.fail : values.pass;
    if (value === undefined || (failed && severity !== (values.severity ?? severity))) continue;
    const [facet, field] = path.split('.') as [string, string];
    (facts[facet] ??= {})[field] = { value, source, rule_id, at, failed };
  }
  return Object.keys(facts).length === 0 ? undefined : facts;
}
