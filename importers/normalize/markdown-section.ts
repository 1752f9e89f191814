/** What stands below a heading of a Markdown text, up to the next heading of its rank or a higher one; undefined where there is no such heading, or nothing below it. */
export function markdownSection(text: string | undefined, heading: string): string | undefined {
  const lines = text?.split(/\r?\n/) ?? [];
  const start = lines.findIndex((line) => headingOf(line)?.title.toLowerCase() === heading.toLowerCase());
  const rank = headingOf(lines[start] ?? '')?.rank;
  if (rank === undefined) return undefined;
  const behind = lines.slice(start + 1);
  const end = behind.findIndex((line) => (headingOf(line)?.rank ?? Infinity) <= rank);
  const section = (end === -1 ? behind : behind.slice(0, end)).join('\n').trim();
  return section === '' ? undefined : section;
}

function headingOf(line: string): { rank: number; title: string } | undefined {
  const match = /^(#{1,6}) (.*)$/.exec(line);
  return match ? { rank: match[1]!.length, title: match[2]!.trim() } : undefined;
}
