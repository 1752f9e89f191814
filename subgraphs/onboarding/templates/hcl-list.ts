/** A list of texts in HCL, one a line. @param indent of the line on which it begins */
export function hclList(texts: readonly string[], indent: number): string {
  const inner = ' '.repeat(indent + 2);
  return `[\n${texts.map((text) => `${inner}${JSON.stringify(text)},\n`).join('')}${' '.repeat(indent)}]`;
}
