import type { EngineContext } from '../../kit/engine/context.js';
import { findSecretPaths } from '../../redaction/secret-keys.js';
import type { Observation } from '../../schema/observations.js';

/** Why an observation of a report may not be stored (decision 31: the path is named, never the value), or null. */
export function refusalOf({ services: { ingest } }: EngineContext, format: string, observation: Observation): string | null {
  const { engine, evidence, provider_metadata } = observation;
  if (!ingest.findingEngines.has(engine)) return `the reader of ${format} gives it to ${engine}, which takes no findings: an error of ours`;
  const secrets = findSecretPaths({ evidence, provider_metadata });
  if (secrets.length) return `secret material at ${secrets.join(', ')}`;
  return ingest.refusal(engine, evidence);
}
