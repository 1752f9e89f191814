import type { ProjectionSource, ReadingSource } from './facet.js';

/**
 * One source of several: the fields and links are those of the first, and each asset is read by the source of its type. What one of the others
 * does not tell of a field is null.
 * @throws when two sources cover one type
 */
export function joinSources(facet: ProjectionSource, ...others: readonly ReadingSource[]): ProjectionSource {
  const { description, fields, links } = facet;
  const readers = new Map<string, ReadingSource>();
  for (const source of [facet, ...others])
    for (const type of source.types) {
      if (readers.has(type)) throw new Error(`two sources of one view cover ${type}`);
      readers.set(type, source);
    }
  const nothing = Object.fromEntries(Object.keys(fields).map((name) => [name, null]));
  return {
    description,
    fields,
    ...(links && { links }),
    types: new Set(readers.keys()),
    samples: [facet, ...others].flatMap(({ samples }) => samples),
    version: [facet, ...others].map(({ version }) => version).join('+'),
    evaluate: (asset) => ({ ...nothing, ...readers.get(asset.resource_type)!.evaluate(asset) }),
  };
}
