import type { EngineContext } from '../../kit/engine/context.js';
import type { RunStart } from '../../kit/engine/ingest-input.js';
import type { Delivery } from './delivery.js';
import { shortageOf } from './room.js';

/**
 * Holds the components of the artifacts that a run told of, or looked for vulnerabilities in, against advisories: what a scanner reports, or reports
 * no longer, decides whether advisories say anything new.
 */
export async function matchArtifacts(
  context: EngineContext,
  run: RunStart,
  { components, coverage, evaluated, notes }: Delivery,
): Promise<void> {
  const { findingEngines, ingest } = context.services;
  const looking = new Set(findingEngines.filter(({ vulnerabilities }) => vulnerabilities).map(({ engine }) => engine));
  const looked = coverage.all.flatMap(({ owner, scope: { artifact } }) => (artifact !== null && looking.has(owner) ? [artifact] : []));
  const artifacts = [...new Set([...components.artifacts.keys(), ...looked])];
  if (artifacts.length === 0) return;
  const { engines, leftOut } = await ingest.matched(context, run, artifacts);
  for (const engine of engines) evaluated.add(engine);
  if (leftOut > 0) notes.precede([shortageOf(context, 'findings', leftOut)]);
}
