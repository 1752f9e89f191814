/** A region, or a zone in one: `europe-west1-b`; what is everywhere, or in a continent, is written otherwise. */
const PLACE = /^([a-z]+-[a-z]+\d+)(?:-[a-z])?$/;

/** Whether an asset of the inventory is in one of the regions, in many, or everywhere: the inventory cannot be asked by place. */
export function isInRegions(asset: unknown, regions: readonly string[]): boolean {
  if (regions.length === 0) return true;
  const { resource, name } = (asset ?? {}) as { resource?: { location?: unknown }; name?: unknown };
  const told = resource?.location ?? (typeof name === 'string' ? /\/(?:locations|regions|zones)\/([^/]+)/.exec(name)?.[1] : undefined);
  const region = typeof told === 'string' ? PLACE.exec(told)?.[1] : undefined;
  return region === undefined || regions.includes(region);
}
