import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Facet } from './facet.js';
import { readFacets, type FacetSource } from './facet-files.js';
import { CatalogError } from './families.js';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** The folder of the facets' files. */
export const FACETS_FOLDER = here('./facets');
/** What the build writes beside this module, so that a start reads one file. */
export const BUILT_FACETS = here('./facets.json');

/**
 * Reads the facets' files and evaluates the sample of every line.
 * @throws CatalogError with every mistake in them: a sample that leaves a mapped field null among them
 */
export function readAllFacets(folder = FACETS_FOLDER): FacetSource[] {
  const mistakes: string[] = [];
  const facets = readFacets(folder, mistakes);
  if (mistakes.length === 0) mistakes.push(...facets.flatMap(sampleFaults));
  if (mistakes.length > 0) throw new CatalogError(mistakes);
  return facets;
}

/** Mapped fields that a line's sample does not set. */
export function sampleFaults(source: FacetSource): string[] {
  const facet = new Facet(source);
  return source.lines.flatMap(({ provider, type, fields, sample }) =>
    type.flatMap((resource_type) => {
      const asset = { resource_uid: 'sample', resource_name: 'sample', account_id: 'sample', region: 'global', provider, resource_type };
      const values = facet.evaluate({ ...asset, configuration: sample, unknown_paths: [], sensitive_paths: [] });
      return Object.keys(fields)
        .filter((field) => values[field] === null)
        .map((field) => `${source.name}: the sample of ${resource_type} leaves ${field} null`);
    }),
  );
}

/** Digest of the code that evaluates facets, and of the days that it looks up. When it changes, so may any value; one refresh too many does no harm. */
export function evaluatorDigest(): string {
  const digest = createHash('sha256');
  const files = ['cel', '.'].flatMap((folder) => readdirSync(here(folder)).map((file) => join(here(folder), file)));
  for (const file of files.filter((path) => EVALUATOR.test(path)).sort()) digest.update(readFileSync(file));
  return digest.digest('base64url').slice(0, 16);
}
const EVALUATOR =
  /[/\\](?:cel[/\\][\w-]+\.[jt]s|(?:facet|facet-readings|image-name|technology-names|subject|end-of-life)\.(?:[jt]s|yaml))$/;

let loaded: ReadonlyMap<string, { source: FacetSource; facet: Facet }> | undefined;

function all(): NonNullable<typeof loaded> {
  if (loaded === undefined) {
    const sources = existsSync(BUILT_FACETS) ? (JSON.parse(readFileSync(BUILT_FACETS, 'utf8')) as FacetSource[]) : readAllFacets();
    const evaluator = evaluatorDigest();
    loaded = new Map(sources.map((source) => [source.name, { source, facet: new Facet(source, evaluator) }]));
  }
  return loaded;
}

/** The facets with their lines, for whoever counts or checks them. */
export const facetSources = (): FacetSource[] => [...all().values()].map(({ source }) => source);

/** A facet of the catalog by name. Read once a process. @throws when there is none */
export function facetOf(name: string): Facet {
  const known = all().get(name);
  if (!known) throw new Error(`the catalog has no facet ${name}`);
  return known.facet;
}
