import type { AssetFacts } from '../../../schema/facts.js';

/** The classes of data that scanners have found in a resource. */
export const foundClasses = (facts: AssetFacts | null | undefined): string[] =>
  Object.entries(facts?.['data'] ?? {}).flatMap(([name, { value }]) => (value === true ? [name] : []));
