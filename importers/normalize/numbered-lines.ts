/** A line of an excerpt that carries its number: `12 code`, `12: code`. */
const NUMBERED = /^\s*(\d+)(?::\s?|\s|$)(.*)$/;

/**
 * The code of some lines out of an excerpt whose lines carry their numbers; all of it where none of them is there. Numbers move with
 * every edit above, and the lines around are not what was found.
 */
export function linesOf(excerpt: string | undefined, first: number | undefined, last = first): string | undefined {
  if (excerpt === undefined) return undefined;
  const lines = excerpt.split('\n').map((line) => NUMBERED.exec(line));
  if (!lines.some((line) => line !== null)) return excerpt;
  const wanted = lines.filter(
    (line) => line !== null && first !== undefined && Number(line[1]) >= first && Number(line[1]) <= (last ?? first),
  );
  return (wanted.length > 0 ? wanted : lines).flatMap((line) => (line === null ? [] : line[2])).join('\n');
}
