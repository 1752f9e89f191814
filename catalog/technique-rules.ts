import { loadCatalog } from './catalog.js';
import { loadDetections } from './detections/rule-set.js';
import { familiesByName } from './tenant-catalog.js';

let counts: ReadonlyMap<string, number> | undefined;

/** How many rules of the catalog look for each technique of MITRE ATT&CK. Counted once a process. */
export function rulesByTechnique(): ReadonlyMap<string, number> {
  counts ??= count();
  return counts;
}

function count(): ReadonlyMap<string, number> {
  const { families, rules } = loadCatalog();
  const named = familiesByName(families);
  const sums = new Map<string, number>();
  const add = (technique: string) => sums.set(technique, (sums.get(technique) ?? 0) + 1);
  for (const { techniques } of loadDetections().all.values()) techniques.forEach(add);
  for (const { family } of rules) named.get(family)!.techniques.forEach(add);
  return sums;
}
