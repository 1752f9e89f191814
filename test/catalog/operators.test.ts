import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RuleSet } from '../../catalog/evaluate.js';
import { Inventory, companionTypes } from '../../catalog/inventory.js';
import { MANIFEST_TYPES } from '../../catalog/manifest-types.js';
import { subjectOf } from '../../catalog/subject.js';
import { format } from '../../importers/formats/kubernetes/format.js';
import { bufferSource } from '../../importers/readers/source.js';
import type { AssetInput } from '../../importers/types.js';
import { expandWholeCatalog } from './whole-catalog.js';

const rules = expandWholeCatalog().rules.filter(({ provider }) => provider === 'k8s');
const set = new RuleSet(rules);

interface Judged {
  asset: AssetInput;
  /** Ids of the rules that fail. */
  failed: string[];
}

/** What the rules say of the objects in a file of manifests, as `kubectl` takes them. */
async function judged(file: string): Promise<Judged[]> {
  const text = readFileSync(join('test/catalog/operators', file));
  const assets: AssetInput[] = [];
  for await (const item of format.read(bufferSource(text), {})) if (item.kind === 'asset') assets.push(item.asset);
  const inventory = new Inventory(companionTypes(rules));
  const subjects = assets.map((asset) => subjectOf(asset));
  for (const subject of subjects) inventory.add(subject);
  return subjects.map((subject, i) => ({
    asset: assets[i]!,
    failed: set.evaluate(subject, inventory).flatMap(({ rule, result }) => (result === 'FAIL' ? [rule.rule_id] : [])),
  }));
}

const endOf = (id: string): string => id.slice(id.lastIndexOf('.') + 1);
const expectedOf = ({ configuration }: AssetInput): string[] =>
  (configuration as { metadata: { annotations: { fails: string } } }).metadata.annotations.fails.split(' ');
/** What there is about objects of operators alone: neither what they share with Deployments, nor what Terraform has, too. */
const ownRules = rules.filter(
  ({ resource_types }) => resource_types.every((type) => MANIFEST_TYPES.has(type)) && isOperators(resource_types[0]!),
);
function isOperators(type: string): boolean {
  return type !== 'kubernetes_replica_set' && type !== 'kubernetes_daemon_set';
}

describe('objects of operators, as their manifests write them', () => {
  it('fail what is wrong with each', async () => {
    const objects = await judged('badly-kept.yaml');
    const faults = objects.flatMap(({ asset, failed }) => {
      const ends = new Set(failed.map(endOf));
      return expectedOf(asset).flatMap((end) => (ends.has(end) ? [] : [`${asset.resource_type} ${asset.resource_name}: ${end}`]));
    });
    expect(objects.length).toBeGreaterThan(35);
    expect(faults).toEqual([]);
  });

  it('are looked at by no rule that none of them fails', async () => {
    const failed = new Set((await judged('badly-kept.yaml')).flatMap((one) => one.failed));
    expect(ownRules.length).toBeGreaterThan(50);
    expect(ownRules.map(({ rule_id }) => rule_id).filter((id) => !failed.has(id))).toEqual([]);
  });

  it('fail nothing where they are kept as their makers recommend', async () => {
    const faults = (await judged('well-kept.yaml')).flatMap(({ asset, failed }) => failed.map((id) => `${asset.resource_name}: ${id}`));
    expect(faults).toEqual([]);
  });

  it('are told from what has the same kind in another group', async () => {
    const types = new Set((await judged('well-kept.yaml')).map(({ asset }) => asset.resource_type));
    expect([...types]).toEqual(
      expect.arrayContaining(['kubernetes_gateway', 'kubernetes_istio_gateway', 'kubernetes_calico_network_policy']),
    );
    expect(types.has('kubernetes_network_policy')).toBe(false);
  });
});
