import type { Observation } from '../../schema/observations.js';
import { findingId } from './row.js';

/** The engines that release 0.1.0 listed. It gave the observations of all others to `check`. */
const FIRST_LISTED: readonly string[] = ['check', 'container-security', 'secops', 'vulnerability'];
export const FIRST_OWNER = 'check';

/** The engine under which an engine's findings stood before it was listed; null where they always stood under their own. */
export const formerOwnerOf = (engine: string): string | null => (FIRST_LISTED.includes(engine) ? null : FIRST_OWNER);

/** The ids that the finding of an observation had: by the discriminator that earlier releases gave it, and under its former owner. */
export function formerIdsOf(engine: string, observation: Observation): string[] {
  const { former_discriminator: discriminator, former_rule_id: rule_id = observation.rule_id } = observation;
  const owner = formerOwnerOf(engine);
  return [
    ...(discriminator === undefined ? [] : [findingId(engine, { ...observation, rule_id, discriminator })]),
    ...(owner === null ? [] : [findingId(owner, observation)]),
  ];
}
