const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', '#39': "'", amp: '&' };

/** The text of a piece of HTML, for tools that write their descriptions so: a line a paragraph or item, without markup. */
export function plainHtml(html: string): string {
  return html
    .replace(/<li\b[^<>]{0,500}>/gi, '\n- ')
    .replace(/<(?:\/p|br\s?\/?|\/li|\/ul|\/ol|\/h\d|\/div)>/gi, '\n')
    .replace(/<\/?[a-z][^<>]{0,1000}>/gi, '')
    .replace(/&(lt|gt|quot|apos|nbsp|amp|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}
