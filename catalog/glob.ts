/** A pattern that matches a whole name against any of several globs, in which `*` is any text. */
export function globs(patterns: readonly string[]): RegExp {
  const sources = patterns.map((pattern) => pattern.replace(/[.+^${}()|[\]\\?]/g, '\\$&').replaceAll('*', '.*'));
  return new RegExp(`^(?:${sources.join('|')})$`);
}
