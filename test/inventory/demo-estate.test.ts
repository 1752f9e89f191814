import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { namesOf, referencesOf, type Linked } from '../../catalog/edges.js';
import { facetOf, facetSources } from '../../catalog/facets.js';
import { bufferSource } from '../../importers/readers/source.js';
import { importers } from '../../importers/registry.js';
import type { AssetInput, EdgeInput } from '../../importers/types.js';
import { EDGE_KINDS, type EdgeKind } from '../../schema/model.js';

// The demo is what people see first: all that the map can tell has to be in it.

const folder = join(process.cwd(), 'demo');
const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as {
  tenant: string;
  file: string;
  format: string;
  account_id?: string;
  artifact?: string;
}[];

const assets = new Map<string, AssetInput>();
const told: EdgeInput[] = [];
beforeAll(async () => {
  for (const { file, format, account_id, artifact } of manifest.filter(({ tenant }) => tenant === 'acme-prod')) {
    const reader = importers.find(({ name }) => name === format)!;
    for await (const item of reader.read(bufferSource(readFileSync(join(folder, 'reports', file))), { account_id, artifact }))
      if (item.kind === 'asset') assets.set(item.asset.resource_uid, item.asset);
      else if (item.kind === 'edge') told.push(item.edge);
      else if (item.kind === 'broken' || item.kind === 'truncated') throw new Error(`${file}: ${item.position}: ${item.reason}`);
  }
});

const facets = facetSources().map(({ name }) => name);

it.each(['aws', 'azure', 'gcp'] as const)('the estate on %s has something of every facet', (provider) => {
  const own = [...assets.values()].filter((asset) => asset.provider === provider);
  expect(facets.filter((name) => !own.some(({ resource_type }) => facetOf(name).types.has(resource_type)))).toEqual([]);
});

/** Derived from what the whole estate allows, not told by any attribute. */
const DERIVED: readonly EdgeKind[] = ['may_access', 'reaches', 'escalates_to'];

it('the estate has edges of every kind that attributes and reports tell', () => {
  const linked = [...assets.values()].map((asset): Linked => ({ account_id: null, ...asset }));
  const named = new Map<string, Set<string>>();
  for (const asset of linked) for (const name of namesOf(asset)) named.set(name, (named.get(name) ?? new Set()).add(asset.resource_uid));
  const isFound = (end: readonly (readonly string[])[] | null): boolean =>
    end === null || end.some((names) => new Set(names.flatMap((name) => [...(named.get(name) ?? [])])).size === 1);
  const resolved = linked.flatMap(referencesOf).filter(({ from, to }) => isFound(from) && isFound(to));
  const kinds = new Set([...told, ...resolved].map(({ kind }) => kind));
  expect(EDGE_KINDS.filter((kind) => !kinds.has(kind) && !DERIVED.includes(kind))).toEqual([]);
});
