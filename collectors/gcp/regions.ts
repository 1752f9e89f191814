/** A region, or a zone in one: `europe-west1-b`; what is everywhere, or in a continent, is written otherwise. */
const PLACE = /^([a-z]+-[a-z]+\d+)(?:-[a-z])?$/;

/**
 * Tells whether an asset of the inventory, which cannot be asked by place, is in one of the regions, in many, or everywhere. Policies are told without a place: they
 * go where the resource went that was told before.
 * @param regions all when there is none
 */
export function regionFilter(regions: readonly string[]): (asset: unknown) => boolean {
  const elsewhere = new Set<string>();
  return (asset) => {
    if (regions.length === 0) return true;
    const { resource, name } = (asset ?? {}) as { resource?: { location?: unknown }; name?: unknown };
    const named = typeof name === 'string' ? name : '';
    const told = resource?.location ?? /\/(?:locations|regions|zones)\/([^/]+)/.exec(named)?.[1];
    const region = typeof told === 'string' ? PLACE.exec(told)?.[1] : undefined;
    const isIn = region === undefined ? !elsewhere.has(named) : regions.includes(region);
    if (!isIn) elsewhere.add(named);
    return isIn;
  };
}
