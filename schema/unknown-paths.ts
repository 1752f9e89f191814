/**
 * What a source leaves open of a resource, as its `unknown_paths` say: an attribute (`ingress[0].cidr_blocks`); with a star whatever a configuration, or a
 * block of it, does not show (`*`, `versioning.*`), as answers of interfaces tell only a part of a resource; and the name of a resource type where
 * nobody was asked for those that belong to the resource (`aws_s3_bucket_policy`). What such a source knows to be absent stands there as null.
 */
export type OpenPaths = ReadonlySet<string>;

/** All that is not shown. */
export const OPEN_WORLD = '*';

const plainPath = (path: string): string => path.replaceAll(/\[\d*\]/g, '');

/** Whether it is open what stands at a path where the configuration shows nothing. */
export function isLeftOpen(open: OpenPaths, path: string): boolean {
  if (open.size === 0) return false;
  if (open.has(path)) return true;
  const plain = plainPath(path);
  if (open.has(plain)) return true;
  const at = plain.lastIndexOf('.');
  return open.has(at < 0 ? OPEN_WORLD : `${plain.slice(0, at)}.${OPEN_WORLD}`);
}

interface Told {
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly unknown_paths?: readonly string[] | undefined;
}

/** Whether it is open what an asset has at a path: it is named as open, or stands nowhere and is not known to be absent. */
export function leavesOpen({ configuration, unknown_paths = [] }: Told, path: string): boolean {
  if (unknown_paths.length === 0) return false;
  const open = new Set(unknown_paths);
  if (open.has(path)) return true;
  let value: unknown = configuration;
  let at = '';
  for (const step of plainPath(path).split('.')) {
    if (Array.isArray(value)) value = value[0];
    if (typeof value !== 'object' || value === null) return false;
    at = at === '' ? step : `${at}.${step}`;
    if (!Object.hasOwn(value, step)) return isLeftOpen(open, at);
    value = (value as Record<string, unknown>)[step];
  }
  return false;
}
