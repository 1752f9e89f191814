import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { accessEdges } from '../../../catalog/access/edges/derive.js';
import type { AccessEdge, AccessNode } from '../../../catalog/access/edges/types.js';
import { AccessModel } from '../../../catalog/access/model.js';
import { assetsOf, estatesOf } from './cases.js';

/** What differs from a base of the provider's estates, and every edge that follows, but for those that the base has. */
interface KeptCase {
  name: string;
  base?: string;
  with?: Parameters<typeof assetsOf>[1]['with'];
  without?: string[];
  edges: string[];
}

const FOLDER = join(__dirname, 'kept');
const PROVIDERS = readdirSync(FOLDER).map((file) => file.replace('.yaml', ''));
const casesOf = (provider: string) => load(readFileSync(join(FOLDER, `${provider}.yaml`), 'utf8')) as KeptCase[];

/** An edge as cases write it; what it leads to beside resources stands in brackets. */
function written({ from, kind, privilege, to, conditional, assumed, way }: AccessEdge, nodes: ReadonlyMap<string, AccessNode>): string {
  const node = nodes.get(to);
  const except = node?.scope?.except.length ? ` except ${node.scope.except.join(', ')}` : '';
  const what = [kind, privilege, way].filter(Boolean).join(' ');
  const marks = [conditional && 'conditional', assumed && 'assumed'].filter(Boolean).join(', ');
  return `${from} ${what} ${node ? `[${node.name}${except}]` : to}${marks && ` (${marks})`}`;
}

function read(provider: string, assets: ReturnType<typeof assetsOf>, isDue?: (account: string) => boolean) {
  const edges: AccessEdge[] = [];
  const nodes = new Map<string, AccessNode>();
  for (const found of accessEdges(new AccessModel(assets), provider, isDue)) {
    edges.push(...found.edges);
    for (const node of found.nodes) nodes.set(node.uid, node);
  }
  return { edges, written: edges.map((edge) => written(edge, nodes)).sort() };
}

describe.each(PROVIDERS)('edges of access in %s', (provider) => {
  const estates = estatesOf(provider);

  test.each(casesOf(provider).map((one): [string, KeptCase] => [one.name, one]))('%s', (_, one) => {
    const plain = new Set(read(provider, assetsOf(estates, { ...one, with: {} } as never)).written);
    const assets = assetsOf(estates, one as never);
    const found = read(provider, assets);
    expect(found.written.filter((edge) => !plain.has(edge))).toEqual([...one.edges].sort());
    expect(new Set(found.written).size).toBe(found.written.length);
    // the order of the resources changes nothing
    expect(read(provider, [...assets].reverse()).written).toEqual(found.written);
    // what touches an account is all that is told when it alone is due
    for (const account of new Set(assets.map(({ account_id = '' }) => account_id))) {
      const touching = found.edges.filter((edge) => edge.accounts.some((one) => one === account || one === '')).length;
      expect(read(provider, assets, (asked) => asked === account).edges.length).toBe(touching);
    }
  });
});
