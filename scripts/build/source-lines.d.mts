export function linesOf(
  map: { sources: readonly string[]; mappings: string },
  file: string,
  root: string,
): { sources: string[]; lines: number[][] };
