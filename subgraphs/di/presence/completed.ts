import { isLeftOpen, OPEN_WORLD } from '../../../schema/unknown-paths.js';

/** What is told of an asset. */
interface Description {
  configuration: Record<string, unknown>;
  tags?: Record<string, string> | undefined;
  unknown_paths?: string[] | undefined;
  sensitive_paths?: string[] | undefined;
}

const headOf = (path: string): string => path.split(/[.[]/, 1)[0]!;

/**
 * A description, completed by another one of the same resource: of each attribute that the first leaves open the second tells the value, and what both
 * leave open stays open.
 */
export function completed(told: Description, other: Description): Description {
  const open = new Set(told.unknown_paths ?? []);
  if (!open.has(OPEN_WORLD)) return told;
  const rest = new Set(other.unknown_paths ?? []);
  const added = Object.entries(other.configuration).filter(([name]) => !Object.hasOwn(told.configuration, name) && isLeftOpen(open, name));
  const names = new Set(added.map(([name]) => name));
  const isBlock = (path: string): boolean => path.includes('.') || path.includes('[');
  const unknown = [
    ...[...open].filter((path) => (isBlock(path) ? !names.has(headOf(path)) : rest.has(path))),
    ...[...rest].filter((path) => (isBlock(path) || path in other.configuration) && names.has(headOf(path))),
  ];
  const sensitive = [...(told.sensitive_paths ?? []), ...(other.sensitive_paths ?? []).filter((path) => names.has(headOf(path)))];
  const tags = { ...(names.has('tags') || names.has('labels') || names.has('tags_all') ? other.tags : {}), ...told.tags };
  return {
    configuration: { ...told.configuration, ...Object.fromEntries(added) },
    ...(Object.keys(tags).length > 0 && { tags }),
    unknown_paths: [...new Set(unknown)],
    sensitive_paths: sensitive,
  };
}
