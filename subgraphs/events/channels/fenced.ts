/**
 * Text as a block of code of Markdown, which no text can end: no link, image, mention or command is made of it (GitHub Flavored Markdown, "Fenced code
 * blocks").
 */
export function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}
